/** Attacks by the use of connections. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from './suite.js';
import type { Victim } from './victim.js';
import { statusOf } from './visitor.js';

/** Limit of connections per address. */
const FLOODING = 100;
/** The smallest requests, as many as arrive in one read. */
const FLOOD = 'GET / HTTP/1.1\r\n\r\n'.repeat(3600);
const FLOOD_MS = 4000;
/** CPU time of one turn of the event loop. Parsing everything takes nine seconds. */
const TURN_MS_MAX = 500;

const pipelinedFlood: Attack = {
  name: 'pipelined flood',
  what: `${FLOODING} connections send 3,600 requests each without waiting for answers`,
  isShort: true,
  async run(victim) {
    const sockets = Array.from({ length: FLOODING }, (): Socket => {
      const socket = connect(victim.port, '127.0.0.1').on('error', () => undefined);
      socket.pause().write(FLOOD);
      return socket;
    });
    await wait(FLOOD_MS);
    for (const socket of sockets) socket.destroy();
    const { turnMs: exactMs } = await victim.worstObserved();
    const turnMs = Math.round(exactMs);
    return { lost: `a turn of ${turnMs} ms`, holds: turnMs <= TURN_MS_MAX };
  },
};

/** More than the server accepts. */
const CONNECTIONS = 4200;
const AT_ONCE = 70;
/** Connections per ending that stay open until the server ends. */
const HELD = 50;

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
const FIVE = `${GET}\r\n${GET}\r\n${GET}Connection: close\r\n\r\n${GET}\r\n${GET}\r\n`;
/** Last texts on connections that stay open. */
const ENDINGS = [
  'garbage\r\n\r\n',
  'CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n',
  `${GET}X: `,
  '',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
];

/** Sends five requests, of which the third closes the connection. @returns the number of answers */
async function leave({ port }: Victim): Promise<number> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
  });
  socket.write(FIVE);
  await once(socket, 'close');
  return text.split('HTTP/1.1 200').length - 1;
}

function hold({ port }: Victim, ending: string): void {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  socket.pause().write(`${GET}\r\n${GET}\r\n${ending}`);
}

const earlyLeavers: Attack = {
  name: 'early leavers',
  what: `${CONNECTIONS.toLocaleString('en')} clients pipeline requests after one that closes; ${HELD * ENDINGS.length} connections stay open`,
  isShort: true,
  bounds: { endMs: 20_000 }, // open connections are destroyed ten seconds after SIGTERM; the rest is for a busy machine
  async run(victim) {
    let left = CONNECTIONS;
    let answered = 0;
    const client = async () => {
      while (left-- > 0) if ((await leave(victim)) === 3) answered++;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const status = await statusOf(`${victim.base}/healthz`);
    for (const ending of ENDINGS) for (let i = 0; i < HELD; i++) hold(victim, ending);
    const lost = `${answered} of ${CONNECTIONS} got their answers; /healthz is ${status}`;
    return { lost, holds: answered === CONNECTIONS && status === 200 };
  },
};

const SOCKETS = 300;
/** Requests that each socket sends at once. */
const PIPELINED = 60;
const WATCHED_MS = 60_000;

const REQUEST = 'GET /api/tax/v1/openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n'.repeat(
  PIPELINED,
);

const unreadAnswers: Attack = {
  name: 'unread answers',
  what: `${SOCKETS} connections request long answers, read nothing and keep sending`,
  isShort: false,
  async run({ base, port }) {
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
    // A connection whose requests were refused stays open: the server has nothing left to send. The bounds check memory.
    const left = open.size;
    const status = await statusOf(`${base}/healthz`);
    for (const socket of open) socket.destroy();
    const lost = `${left} of ${SOCKETS} are open after ${WATCHED_MS / 1000} s; /healthz is ${status}`;
    return { lost, holds: status === 200 };
  },
};

const KEPT = 30;
const BEFORE_MS = 500;
const AFTER_MS = 3000;

/** Sends a request. @returns the error that lost it; undefined for an answer or a refused connection */
function ask(base: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    get(`${base}/api/tax/v1/tags`, { agent }, (response) => response.resume().on('close', () => resolve(undefined))).on(
      'error',
      ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? undefined : code),
    );
  });
}

const sigterm: Attack = {
  name: 'SIGTERM',
  what: `SIGTERM while ${KEPT} keep-alive connections keep sending requests`,
  isShort: false,
  mayEnd: true,
  async run(victim) {
    const lost: string[] = [];
    let isAsked = true;
    const client = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (isAsked) {
        const error = await ask(victim.base, agent);
        if (error) lost.push(error);
        await wait(10);
      }
      agent.destroy();
    };
    const clients = Array.from({ length: KEPT }, client);
    await wait(BEFORE_MS);
    victim.terminate();
    await wait(AFTER_MS);
    isAsked = false;
    await Promise.all(clients);
    return { lost: `${lost.length} requests lost${lost[0] ? ` (${lost[0]})` : ''}`, holds: lost.length === 0 };
  },
};

export const connectionAttacks: readonly Attack[] = [sigterm, pipelinedFlood, earlyLeavers, unreadAnswers];
