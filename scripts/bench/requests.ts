/**
 * Benchmark of requests for wallets: repeated, new, tagged and mixed requests, and short requests during a long
 * response.
 */

import type { ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { readManifest } from '../../pipeline/publish/generation.js';
import { addGrownWallets } from './grown-wallets.js';
import { median, stop, usageOf } from './measured.js';
import {
  askFor,
  type Headers,
  keyHeaders,
  load,
  type Running,
  STAND_IN_NAMES,
  startServer,
  startStandIn,
} from './servers.js';
import { generationFolder, type Settings } from './settings.js';
import type { Measure } from './table.js';
import { chooseWallets, type Wallet } from './wallets.js';

interface ComparedRequest {
  readonly what: string;
  /** Returns the path and query of the nth request. All responses have the same length. */
  readonly path: (n: number) => string;
  readonly headers?: Headers;
  /** If true, requests contain the ETag of the first response, and status 304 is expected. */
  readonly conditional?: true;
  /** Minimum ratio to the speed of the ordinary Koa server. */
  readonly targetRatio?: number;
}

class Work {
  private answers = 0;
  private microseconds = 0;

  async add(server: ChildProcess, answers: () => Promise<number>): Promise<void> {
    await usageOf(server);
    this.answers += await answers();
    this.microseconds += (await usageOf(server)).cpuMicroseconds;
  }

  get speed(): number {
    return (this.answers / this.microseconds) * 1e6;
  }
}

/**
 * Each process gets this many turns in a round, in alternating order. Other load on the machine then slows all
 * processes equally.
 */
const TURNS = 10;

/** Number of rounds for the warm-up. V8 compiles the code only after some thousand requests. */
const WARM_UP = 3;

/**
 * Compares the server with an ordinary and a bare Koa server that send the same bytes. Counts responses per second of
 * CPU time, because the elapsed time also depends on the client.
 */
async function compareRequest(
  settings: Settings,
  server: Running,
  { what, path, headers = {}, conditional, targetRatio }: ComparedRequest,
): Promise<Measure> {
  let requestCount = 0;
  const first = path(requestCount++);
  const { etag } = (await askFor(200, server.url + first, headers)).headers;
  const sent = conditional ? { ...headers, 'if-none-match': etag! } : headers;
  const standIns: Running[] = [];
  try {
    for (const name of STAND_IN_NAMES) standIns.push(await startStandIn(settings, name, server, first, headers));
    const all = [server, ...standIns];
    const speeds = all.map((): number[] => []);
    for (let round = -1; round < settings.rounds; round++) {
      const works = all.map(() => new Work());
      const milliseconds = ((round < 0 ? WARM_UP : 1) * settings.milliseconds) / TURNS;
      for (let turn = 0; turn < TURNS; turn++) {
        const inTurn = [...all.entries()];
        for (const [i, { process, url }] of turn % 2 === 0 ? inTurn : inTurn.reverse()) {
          const urls = during(milliseconds, () => url + path(requestCount++));
          await works[i]!.add(process, () => load(urls, sent, conditional ? 304 : 200));
        }
      }
      if (round >= 0) works.forEach((work, i) => void speeds[i]!.push(work.speed));
    }
    const [figure, ...others] = speeds.map(median) as [number, ...number[]];
    const against = STAND_IN_NAMES.map((name, i) => ({ what: name, figure: others[i]! }));
    return {
      what,
      figure,
      unit: 'answers/s of a core',
      against,
      ...(targetRatio && { target: { ratio: targetRatio } }),
    };
  } finally {
    await Promise.all(standIns.map(({ process }) => stop(process)));
  }
}

function* during(milliseconds: number, nextUrl: () => string): Generator<string> {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) yield nextUrl();
}

const PAUSE_MS = 2;
const WAIT_MS_MAX = 20;

/**
 * Sends requests one after another until the work ends. Returns the duration of the slowest request in milliseconds.
 */
async function slowestDuring(work: Promise<unknown>, url: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let slowest = 0;
  while (!isDone) {
    const began = performance.now();
    await askFor(200, url, {}, agent);
    slowest = Math.max(slowest, performance.now() - began);
    await wait(PAUSE_MS);
  }
  agent.destroy();
  await done;
  return slowest;
}

/**
 * Measures the longest wait of short requests while the server is sending a long response, and while it is idle.
 * @param others path of the short requests
 * @param path returns the path of the nth long response
 */
async function measureLongestWait(
  settings: Settings,
  { url }: Running,
  what: string,
  others: string,
  path: (n: number) => string,
): Promise<Measure> {
  const waits: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const began = performance.now();
    waits.push(await slowestDuring(askFor(200, url + path(round)), url + others));
    idle.push(await slowestDuring(wait(performance.now() - began), url + others));
  }
  const against = [{ what: 'idle server', figure: median(idle) }];
  return { what, figure: median(waits), unit: 'ms', against, target: { atMost: WAIT_MS_MAX } };
}

const [LONG_ROWS, LARGE_ROWS] = [500, 50_000];
const MEMORY_MIB_MAX = 600;

const report = (name: string, address: string) => `/api/tax/v1/${name}?address=${address}`;

/** Returns a `start` before the first block, which differs for each n. */
const newStart = (n: number) => `start=${new Date(Date.UTC(1000, 0, 1 + n)).toISOString().slice(0, 10)}`;

/** Returns a `start` just after the wallet's first row, which differs by one nanosecond for each n. */
const laterStart = ({ first }: Wallet, n: number) =>
  `start=${first.replace(' ', 'T')}.${String(n + 1).padStart(9, '0')}Z`;

/** Returns tags that differ for each n: one for a transaction of the wallet, and one for an unknown transaction. */
function newTags({ transfer }: Pick<Wallet, 'transfer'>, n: number): string {
  const other = n.toString(16).padStart(64, '0');
  return `tags=${encodeURIComponent(JSON.stringify({ ...(transfer && { [transfer]: 'gift' }), [other]: 'gift' }))}`;
}

/** Minimum ratio of repeated requests. */
const AGAIN = 1;

const PRICES = '/api/tax/v1/price-series';

const IN_ZONE = 'timezone=Europe/Berlin';

/** Returns an unknown parameter, whose value differs for each n and has no effect. */
const newName = (n: number) => `n=${n}`;

function requestsOf(usual: Wallet, long: string, key: Headers, hasBalances: boolean): ComparedRequest[] {
  const [events, positions] = [report('events', usual.address), report('positions', usual.address)];
  const history = `${report('balances', usual.address)}&history=true`;
  const rows = `${usual.rows} rows`;
  const ofBalances: ComparedRequest[] = [
    { what: 'history, again', path: () => history, targetRatio: AGAIN },
    { what: `holdings, ${LONG_ROWS} rows, the first time`, path: (n) => `${report('holdings', long)}&${newName(n)}` },
  ];
  return [
    { what: `events, ${rows}, again`, path: () => events, targetRatio: AGAIN },
    { what: `events, ${rows}, again, by key`, path: () => events, headers: key },
    { what: `events, ${rows}, again, 304`, path: () => events, conditional: true, targetRatio: AGAIN },
    {
      what: `events as CSV, ${LONG_ROWS} rows, again`,
      path: () => `${report('events', long)}&format=csv`,
      targetRatio: AGAIN,
    },
    { what: `journal, ${LONG_ROWS} rows, again`, path: () => report('journal', long), targetRatio: AGAIN },
    { what: `positions, ${rows}, again`, path: () => positions, targetRatio: AGAIN },
    ...(hasBalances ? ofBalances : []),
    { what: 'prices, again', path: () => PRICES, targetRatio: AGAIN },
    { what: `events, ${rows}, filtered, the first time`, path: (n) => `${events}&${newStart(n)}`, targetRatio: 0.45 },
    {
      what: `events, ${usual.later_rows} of ${rows}, filtered, the first time`,
      path: (n) => `${events}&${laterStart(usual, n)}`,
      targetRatio: 0.45,
    },
    { what: `positions, ${rows}, tagged`, path: (n) => `${positions}&${newTags(usual, n)}`, targetRatio: 0.5 },
    { what: `events, ${rows}, tagged`, path: (n) => `${events}&${newTags(usual, n)}`, targetRatio: 0.4 },
    {
      what: `positions, ${rows}, in a zone`,
      path: (n) => `${positions}&${IN_ZONE}&${newName(n)}`,
      targetRatio: 0.2,
    },
    { what: `events, ${rows}, in a zone`, path: (n) => `${events}&${IN_ZONE}&${newName(n)}`, targetRatio: 0.2 },
    { what: `summary, ${rows}, the first time`, path: (n) => `${report('summary', usual.address)}&${newStart(n)}` },
  ];
}

function* mixedPaths(wallets: readonly Wallet[], count: number): Generator<string> {
  const kinds: ((wallet: Wallet, n: number) => string)[] = [
    ({ address }) => report('events', address),
    ({ address }, n) => `${report('events', address)}&${newStart(n)}`,
    ({ address }, n) => `${report('events', address)}&format=csv&${newStart(n)}`,
    (wallet, n) => `${report('events', wallet.address)}&${newTags(wallet, n)}`,
    ({ address }) => report('journal', address),
    ({ address }) => `${report('journal', address)}&format=json`,
    ({ address }) => report('positions', address),
    (wallet, n) => `${report('positions', wallet.address)}&${newTags(wallet, n)}`,
  ];
  for (let n = 0; n < count; n++) {
    yield kinds[n % kinds.length]!(wallets[Math.floor(n / kinds.length) % wallets.length]!, n);
  }
}

async function measureMemory(settings: Settings, dataDir: string, wallets: readonly Wallet[]): Promise<Measure> {
  const server = await startServer(settings, dataDir);
  try {
    await load(urlsOf(server, mixedPaths(wallets, settings.mixedRequests)));
    const { residentMiB } = await usageOf(server.process);
    const what = `memory after ${settings.mixedRequests} mixed requests`;
    return { what, figure: residentMiB, unit: 'MiB', target: { atMost: MEMORY_MIB_MAX } };
  } finally {
    await stop(server.process);
  }
}

function* urlsOf({ url }: Running, paths: Iterable<string>): Generator<string> {
  for (const path of paths) yield url + path;
}

export async function measureRequests(settings: Settings, dataDir: string): Promise<Measure[]> {
  const { all, usual, largest } = await chooseWallets(dataDir);
  const [long, large] = (await addGrownWallets(settings, dataDir, largest, [LONG_ROWS, LARGE_ROWS])) as [
    string,
    string,
  ];
  const key = await keyHeaders(dataDir);
  const hasBalances = readManifest(generationFolder(dataDir)).holdings_from !== null;
  const measures: Measure[] = [];
  const server = await startServer(settings, dataDir);
  try {
    for (const request of requestsOf(usual, long, key, hasBalances))
      measures.push(await compareRequest(settings, server, request));
    for (const name of ['events', 'journal', 'summary']) {
      const what = `longest wait of others, ${name} of ${LARGE_ROWS} rows`;
      const path = (n: number) => `${report(name, large)}&${newStart(n)}`;
      measures.push(await measureLongestWait(settings, server, what, '/healthz', path));
    }
  } finally {
    await stop(server.process);
  }
  return [...measures, await measureMemory(settings, dataDir, all)];
}
