/** Attacks by many or expensive requests. */
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { chooseWallets } from '../../scripts/bench/wallets.js';
import { fill, hash } from './bodies.js';
import type { Attack, Place } from './suite.js';
import { posting, statusOf, strangeAddress } from './visitor.js';

const WALLETS = 50;

/** Addresses with the most rows, the largest last. */
let largest: readonly string[] = [];

async function chooseLargest({ dataDir }: Place): Promise<Record<string, string>> {
  largest = (await chooseWallets(dataDir)).all.slice(-WALLETS).map(({ address }) => address);
  return {};
}

const JOURNALS = 20;

const heavyRequests: Attack = {
  name: 'heavy requests',
  what: `${JOURNALS} journals of the ${WALLETS} largest wallets at once`,
  isShort: false,
  prepare: chooseLargest,
  async run({ base }) {
    const asked = Array.from({ length: JOURNALS }, () =>
      statusOf(`${base}/api/tax/v1/journal`, posting({ address: largest })),
    );
    const statuses = await Promise.all(asked);
    const odd = statuses.filter((status) => status !== 200 && status !== 503);
    const full = statuses.filter((status) => status === 200).length;
    return { lost: `${full} of ${JOURNALS} answered, ${odd.length} broken`, holds: odd.length === 0 };
  },
};

const PDFS = 40;
/** Time limit of the queue, and some seconds for the PDF. */
const OTHER_MS_MAX = 20_000;

const pdfQueue: Attack = {
  name: 'PDF queue',
  what: `${PDFS} PDFs of Form 8949 at once for one address, and one for another`,
  isShort: true,
  environment: { HUBLEDGER_TRUSTED_HOPS: '1' },
  prepare: chooseLargest,
  async run({ base }) {
    const ask = async (client: string, i: number) => {
      const end = `2026-0${4 - (i % 3)}-${10 + Math.floor(i / 3)}`; // each answer differs
      const query = new URLSearchParams({ address: largest.at(-1)!, end, profile: 'form8949', format: 'pdf' });
      const headers = { 'x-forwarded-for': client };
      const answer = await fetch(`${base}/api/tax/v1/journal?${query}`, { headers });
      await answer.arrayBuffer();
      return answer;
    };
    const all = Promise.all(Array.from({ length: PDFS }, (_, i) => ask('192.0.2.1', i)));
    const began = performance.now();
    const other = await ask('192.0.2.2', PDFS);
    const ms = performance.now() - began;
    const answers = await all;
    const refused = answers.filter(({ status }) => status === 503);
    const hasRetryAfter = refused.every(({ headers }) => headers.has('retry-after'));
    const lost = `the other address gets ${other.status} after ${Math.round(ms)} ms; ${refused.length} of ${PDFS} refused`;
    return { lost, holds: other.status === 200 && ms < OTHER_MS_MAX && refused.length > 0 && hasRetryAfter };
  },
};

const QUOTA = 60;
const QUOTA_ATTACK_MS = 62_000;
/** CPU time of one turn of the event loop. */
const TURN_MS_MAX = 100;

const costlyRequests: Attack = {
  name: 'costly requests',
  what: 'for a minute one address uses its whole quota at once: the largest bodies, journals, tables and PDFs',
  isShort: false,
  environment: { HUBLEDGER_RATE_LIMIT: String(QUOTA) },
  prepare: chooseLargest,
  async run(victim, { random }) {
    const api = `${victim.base}/api/tax/v1`;
    const userTags = Object.fromEntries(JSON.parse(`[${fill((i) => `["${hash(i)}","income"]`, 13_000)}]`));
    const expensive = [
      () => statusOf(`${api}/events`, posting({ address: strangeAddress(random), userTags })),
      () => statusOf(`${api}/summary`, posting({ address: largest, userTags, ownWallets: 'carry' })),
      () => statusOf(`${api}/journal`, posting({ address: largest, ownWallets: 'carry' })),
      () => statusOf(`${api}/journal`, posting({ address: largest.at(-1), profile: 'form8949', format: 'pdf' })),
      () => statusOf(`${api}/events`, posting({ address: largest, profile: 'koinly' })),
    ];
    const statuses: number[] = [];
    for (const began = performance.now(); performance.now() - began < QUOTA_ATTACK_MS; await wait(1000)) {
      const asked = Array.from({ length: QUOTA }, (_, i) => expensive[i % expensive.length]!());
      statuses.push(...(await Promise.all(asked)));
    }
    const { turnMs } = await victim.worstObserved();
    const answered = statuses.filter((status) => status === 200).length;
    const odd = statuses.filter((status) => ![200, 429, 503].includes(status)).length;
    const lost = `${answered} answered, ${odd} of ${statuses.length} broken`;
    return { lost, holds: odd === 0 && turnMs <= TURN_MS_MAX };
  },
};

const CLIENTS = 2000;
const ATTACK_MS = 15_000;
const PATHS = ['events', 'positions', 'summary', 'journal'];

/** Returns status and head of a complete answer; undefined while it is incomplete. */
function wholeAnswer(text: string): { status: string; head: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const length = /content-length: (\d+)/.exec(head)?.[1];
  const isWhole = length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= end + 4 + Number(length);
  return isWhole ? { status: text.slice(9, 12), head } : undefined;
}

const overload: Attack = {
  name: 'overload',
  what: `${CLIENTS} clients send short requests one after another, without a pause after a refusal`,
  isShort: true,
  prepare: chooseLargest,
  async run({ port }, { random }) {
    const statuses = new Map<string, number>();
    let isOver = false;
    let odd = '';
    const sockets = Array.from({ length: CLIENTS }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      let text = '';
      const ask = () => {
        text = '';
        const path = `/api/tax/v1/${PATHS[random.below(PATHS.length)]}?address=${largest[random.below(largest.length)]}`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      };
      socket.setEncoding('latin1').on('data', (part) => {
        text += part;
        const answer = wholeAnswer(text);
        if (!answer || isOver) return;
        const { status, head } = answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== '200' && !(status === '503' && head.includes('\r\nretry-after: '))) odd = text.slice(0, 200);
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

export const loadAttacks: readonly Attack[] = [heavyRequests, pdfQueue, costlyRequests, overload];
