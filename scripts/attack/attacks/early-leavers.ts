import { once } from 'node:events';
import { connect } from 'node:net';
import type { Attack } from '../suite.js';
import type { Victim } from '../victim.js';
import { statusOf } from '../visitor.js';

/** More than the server takes. */
const CONNECTIONS = 4200;
const AT_ONCE = 70;
/** Connections that stay open until the server ends, of each kind. */
const HELD = 50;

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
const FIVE = `${GET}\r\n${GET}\r\n${GET}Connection: close\r\n\r\n${GET}\r\n${GET}\r\n`;
/** Texts whose senders keep their connections open. */
const ENDINGS = [
  'garbage\r\n\r\n',
  'CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n',
  `${GET}X: `,
  '',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
];

/** Sends five requests, of which the third ends the connection, and leaves. @returns the number of answers */
async function leave({ port }: Victim): Promise<number> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let told = '';
  socket.setEncoding('latin1').on('data', (part) => {
    told += part;
  });
  socket.write(FIVE);
  await once(socket, 'close');
  return told.split('HTTP/1.1 200').length - 1;
}

function hold({ port }: Victim, ending: string): void {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  socket.pause().write(`${GET}\r\n${GET}\r\n${ending}`);
}

export const earlyLeavers: Attack = {
  name: 'early leavers',
  what: `${CONNECTIONS.toLocaleString('en')} clients pipeline requests after one that closes and leave; ${HELD * ENDINGS.length} stay`,
  isShort: true,
  bounds: { endMs: 20_000 }, // connections that stay are cut off ten seconds after SIGTERM, plus what a busy machine needs
  async run(victim) {
    let left = CONNECTIONS;
    let answered = 0;
    const client = async () => {
      while (left-- > 0) if ((await leave(victim)) === 3) answered++;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const status = await statusOf(`${victim.base}/healthz`);
    for (const ending of ENDINGS) for (let i = 0; i < HELD; i++) hold(victim, ending);
    const lost = `${answered} of ${CONNECTIONS} have their answers; /healthz is ${status}`;
    return { lost, holds: answered === CONNECTIONS && status === 200 };
  },
};
