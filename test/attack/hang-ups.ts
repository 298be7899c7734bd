/** Attacks by clients that disconnect in the middle of long answers. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readManifest } from '../../pipeline/publish/generation.js';
import { generationFolder } from '../../scripts/bench/settings.js';
import { chooseWallets } from '../../scripts/bench/wallets.js';
import { Neighbors, read } from './neighbors.js';
import type { Attack, Place } from './suite.js';
import type { Victim } from './victim.js';
import type { Seeded } from './visitor.js';

/** Clients that disconnect, each with an address of its own. */
const CLIENTS = 6;
const LONG_MS = 80_000;
const SHORT_MS = 6000;
const CANCELS_MIN = 35;
/** Longest time until a client disconnects. The answers of the small sample take less time. */
const LEAVES_MS_MAX = 1500;
const SHORT_LEAVES_MS_MAX = 150;
/** Time in which the server must have closed what the attack opened. */
const CLOSED_MS_MAX = 60_000;
const WALLETS = 50;

interface Request {
  readonly kind: string;
  readonly path: string;
  readonly headers?: string;
}

/** Returns requests whose answers are long. @param addresses the wallets with the most rows, the largest last */
function longAnswers(addresses: readonly string[]): Request[] {
  const api = '/api/tax/v1';
  const many = `address=${addresses.join(',')}`;
  return [
    { kind: 'rows', path: `${api}/events?${many}&format=json` },
    { kind: 'rows', path: `${api}/journal?${many}&format=json`, headers: 'Accept-Encoding: gzip\r\n' },
    { kind: 'files', path: `${api}/events?${many}&format=csv` },
    { kind: 'files', path: `${api}/events?${many}&format=csv`, headers: 'Accept-Encoding: br\r\n' },
    { kind: 'exports', path: `${api}/events?${many}&profile=koinly` },
    { kind: 'exports', path: `${api}/journal?${many}&profile=beancount` },
    { kind: 'PDFs', path: `${api}/journal?address=${addresses.at(-1)}&profile=form8949&format=pdf` },
  ];
}

/** Returns requests for published files: the largest files whole and in parts, and the manifest. */
function pulls(dataDir: string): Request[] {
  const manifest = readManifest(generationFolder(dataDir));
  const root = `/datasets/${manifest.chain_id}`;
  const files = manifest.tables.flatMap((table) => table.files).sort((a, b) => b.bytes - a.bytes);
  const large = files.slice(0, 8).map(({ path }) => `${root}/${manifest.generation}/${path}`);
  return [
    ...large.map((path) => ({ kind: 'pulls', path })),
    ...large.map((path) => ({ kind: 'pulls', path, headers: 'Range: bytes=100-\r\n' })),
    { kind: 'pulls', path: large[0]!, headers: 'Range: bytes=-100\r\nIf-Range: "other"\r\n' },
    { kind: 'datasets', path: `${root}/${manifest.generation}/manifest.json` },
    { kind: 'datasets', path: `${root}/manifest.json`, headers: 'Accept-Encoding: br\r\n' },
    { kind: 'datasets', path: `${root}/priced_events` },
  ];
}

let requests: readonly Request[] = [];
let shortPaths: readonly string[] = [];

const NEIGHBORS = 12;

async function chooseRequests({ dataDir }: Place): Promise<Record<string, string>> {
  const { all } = await chooseWallets(dataDir);
  const addresses = all.map(({ address }) => address);
  requests = [...longAnswers(addresses.slice(-WALLETS)), ...pulls(dataDir)];
  shortPaths = addresses.slice(0, NEIGHBORS).map((address) => `/api/tax/v1/events?address=${address}&format=json`);
  return {};
}

/** Makes the answer different from earlier ones, so that the server cannot send a cached answer. */
const uncached = (path: string, number: number) => `${path}${path.includes('?') ? '&' : '?'}attempt=${number}`;

/**
 * Sends a request and disconnects after some time. Every second client reads nothing, so that the answer waits in the
 * server.
 * @returns true if the client disconnected before the answer ended
 */
async function hangUp({ port }: Victim, { path, headers = '' }: Request, number: number, ms: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  if (number % 2 === 0) socket.resume();
  let hasEnded = false;
  socket.once('end', () => {
    hasEnded = true;
  });
  const client = `X-Forwarded-For: 192.0.2.${(number % CLIENTS) + 1}\r\n`;
  socket.write(`GET ${uncached(path, number)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${client}${headers}\r\n`);
  await wait(ms);
  socket.destroy();
  return !hasEnded;
}

interface Span {
  readonly attackMs: number;
  readonly leavesMs: number;
}

/** Disconnects until the time is over and there were enough cancels. @returns cancels by kind of request */
async function keepHangingUp(
  victim: Victim,
  random: Seeded,
  { attackMs, leavesMs }: Span,
): Promise<Map<string, number>> {
  const cancels = new Map<string, number>();
  let sent = 0;
  let cancelled = 0;
  const began = performance.now();
  const client = async () => {
    while (victim.isRunning && (performance.now() - began < attackMs || cancelled < CANCELS_MIN)) {
      const number = sent++;
      const request = requests[number % requests.length]!;
      if (!(await hangUp(victim, request, number, random.below(leavesMs)))) continue;
      cancelled++;
      cancels.set(request.kind, (cancels.get(request.kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return cancels;
}

const hangUps: Attack = {
  name: 'hang-ups',
  what: `${CLIENTS} clients disconnect in the middle of rows, files, PDFs, exports and published files`,
  isShort: true,
  bounds: { growth: 2 }, // an idle server has not yet opened what long answers need
  prepare: chooseRequests,
  async run(victim, { random, isShort }) {
    const span = isShort
      ? { attackMs: SHORT_MS, leavesMs: SHORT_LEAVES_MS_MAX }
      : { attackMs: LONG_MS, leavesMs: LEAVES_MS_MAX };
    // Opens what the server keeps open, such as the wallet index of each thread.
    for (const { path } of requests) await read(victim.base + path, new Agent(), {});
    const before = victim.descriptors();
    const neighbors = await Neighbors.start(victim.base, shortPaths);
    const cancels = await keepHangingUp(victim, random, span);
    const seen = await neighbors.stop();
    const left = await victim.leftOpen(before, CLOSED_MS_MAX);
    const count = [...cancels].map(([kind, times]) => `${times} ${kind}`).join(', ');
    const { answers, wrong, reset, refused } = seen;
    const lost = `${answers} answers, ${wrong} wrong, ${reset} reset, ${refused} refused; left open: ${left || 'nothing'}; cancelled ${count}`;
    return { lost, holds: victim.isRunning && wrong + reset + refused === 0 && left === '' };
  },
};

const READERS = 24;
/** Time in which the server must have disconnected clients that read nothing. */
const UNREAD_MS_MAX = 120_000;

/** Requests a long answer and reads nothing. @returns a promise that resolves when the server has closed the connection */
async function readNothing({ port }: Victim, path: string, number: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${(number % CLIENTS) + 1}\r\n\r\n`);
  socket.pause();
  const ended = once(socket, 'close');
  // A paused socket notices the end only when it writes.
  const writing = setInterval(() => socket.write('\r\n'), 1000);
  await Promise.race([ended, wait(UNREAD_MS_MAX)]);
  clearInterval(writing);
  socket.destroy();
}

const neverReads: Attack = {
  name: 'never reads',
  what: `${READERS} clients request long answers and files, and read nothing`,
  isShort: false,
  bounds: { growth: 2 },
  prepare: chooseRequests,
  async run(victim) {
    for (const { path } of requests) await read(victim.base + path, new Agent(), {});
    const before = victim.descriptors();
    const neighbors = await Neighbors.start(victim.base, shortPaths);
    const began = performance.now();
    const readers = Array.from({ length: READERS }, (_, i) =>
      readNothing(victim, uncached(requests[i % requests.length]!.path, i), i),
    );
    await Promise.all(readers);
    const seconds = Math.round((performance.now() - began) / 1000);
    const { answers, wrong, reset, refused } = await neighbors.stop();
    const left = await victim.leftOpen(before, CLOSED_MS_MAX);
    const lost = `${answers} answers, ${wrong} wrong, ${reset} reset, ${refused} refused; all disconnected after ${seconds} s; left open: ${left || 'nothing'}`;
    const isInTime = seconds * 1000 < UNREAD_MS_MAX;
    return { lost, holds: victim.isRunning && isInTime && wrong + reset + refused === 0 && left === '' };
  },
};

export const hangUpAttacks: readonly Attack[] = [hangUps, neverReads];
