import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../suite.js';

const SOCKETS = 300;
/** Requests that each socket sends at once, of which it reads no answer. */
const PIPELINED = 20;
const WATCHED_MS = 40_000;

const REQUEST = 'GET /api/tax/v1/openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n'.repeat(
  PIPELINED,
);

export const unreadAnswers: Attack = {
  name: 'unread answers',
  what: `${SOCKETS} connections ask for long answers and read none of them`,
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
      for (const socket of open) socket.write('\r\n'); // tells whether the other side is still there
    }
    const left = open.size;
    for (const socket of open) socket.destroy();
    return { lost: `${left} of ${SOCKETS} are kept after ${WATCHED_MS / 1000} s`, holds: left === 0 };
  },
};
