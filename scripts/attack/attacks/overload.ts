import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { chooseWallets } from '../../bench/wallets.js';
import type { Attack } from '../suite.js';

const CLIENTS = 2000;
const ATTACK_MS = 15_000;
const PATHS = ['events', 'positions', 'summary', 'journal'];

let addresses: readonly string[] = [];

/** Status and head of an answer that has arrived whole; undefined while there is more to come. */
function wholeAnswer(told: string): { status: string; head: string } | undefined {
  const end = told.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = told.slice(0, end).toLowerCase();
  const length = /content-length: (\d+)/.exec(head)?.[1];
  const isWhole = length === undefined ? told.endsWith('0\r\n\r\n') : told.length >= end + 4 + Number(length);
  return isWhole ? { status: told.slice(9, 12), head } : undefined;
}

export const overload: Attack = {
  name: 'overload',
  what: `${CLIENTS} clients ask for short answers one after another, and wait for nothing when they are refused`,
  isShort: true,
  async prepare({ dataDir }) {
    addresses = (await chooseWallets(dataDir)).all.map(({ address }) => address);
    return {};
  },
  async run({ port }, { random }) {
    const statuses = new Map<string, number>();
    let isOver = false;
    let odd = '';
    const sockets = Array.from({ length: CLIENTS }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      let told = '';
      const ask = () => {
        told = '';
        const path = `/api/tax/v1/${PATHS[random.below(PATHS.length)]}?address=${addresses[random.below(addresses.length)]}`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      };
      socket.setEncoding('latin1').on('data', (part) => {
        told += part;
        const answer = wholeAnswer(told);
        if (!answer || isOver) return;
        const { status, head } = answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== '200' && !(status === '503' && head.includes('\r\nretry-after: '))) odd = told.slice(0, 200);
        ask();
      });
      return socket.on('connect', ask);
    });
    await wait(ATTACK_MS);
    isOver = true;
    for (const socket of sockets) socket.destroy();
    const [answered, refused] = [statuses.get('200') ?? 0, statuses.get('503') ?? 0];
    return { lost: `${answered} answered, ${refused} refused ${odd}`, holds: answered > 0 && odd === '' };
  },
};
