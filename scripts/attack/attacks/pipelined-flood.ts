import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';

/** Connections that an address may have. */
const SOCKETS = 100;
/** The smallest requests, as many as the kernel hands over in one piece. */
const REQUESTS = 'GET / HTTP/1.1\r\n\r\n'.repeat(3600);
const WATCHED_MS = 4000;
/** Milliseconds of the processor that one turn of the event loop may take; parsing all of it takes nine seconds. */
const TURN_MS_MAX = 500;

export const pipelinedFlood: Attack = {
  name: 'pipelined flood',
  what: `${SOCKETS} connections send 3,600 requests each without waiting for answers`,
  isShort: true,
  async run(victim) {
    const sockets = Array.from({ length: SOCKETS }, (): Socket => {
      const socket = connect(victim.port, '127.0.0.1').on('error', () => undefined);
      socket.pause().write(REQUESTS);
      return socket;
    });
    await wait(WATCHED_MS);
    for (const socket of sockets) socket.destroy();
    const { turnMs: exactMs } = await victim.worstObserved();
    const turnMs = Math.round(exactMs);
    return { lost: `a turn of ${turnMs} ms`, holds: turnMs <= TURN_MS_MAX };
  },
};
