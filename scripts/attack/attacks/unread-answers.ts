import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';

const SOCKETS = 300;
/** Requests that each socket sends at once, of which it reads no answer. */
const PIPELINED = 60;
const WATCHED_MS = 60_000;

const REQUEST = 'GET /api/tax/v1/openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n'.repeat(
  PIPELINED,
);

export const unreadAnswers: Attack = {
  name: 'unread answers',
  what: `${SOCKETS} connections ask for long answers, read none of them, and go on sending`,
  isShort: false,
  async run({ port }) {
    const open = new Set<Socket>();
    for (let i = 0; i < SOCKETS; i++) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      open.add(socket.pause().on('close', () => open.delete(socket)));
      socket.write(REQUEST);
    }
    for (const began = performance.now(); open.size > 0 && performance.now() - began < WATCHED_MS; ) {
      await wait(1000);
      for (const socket of open) socket.write('\r\n');
    }
    const left = open.size;
    for (const socket of open) socket.destroy();
    return { lost: `${left} of ${SOCKETS} are kept after ${WATCHED_MS / 1000} s`, holds: left === 0 };
  },
};
