/** Benchmark of requests about wallets: repeated, new, tagged, beside a large answer, and mixed. */
import { stop, usageOf } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { chooseWallets, type Wallet } from '../wallets.js';
import { type ComparedRequest, compareRequest, measureLongestWait } from './compare.js';
import { addGrownWallets } from './grown-wallets.js';
import { type Headers, load } from './load.js';
import { keyHeaders, type Running, startServer } from './servers.js';

const [LONG_ROWS, LARGE_ROWS] = [500, 50_000];
const MEMORY_MIB_MAX = 600;

const report = (name: string, address: string) => `/api/tax/v1/${name}?address=${address}`;

/** Returns a new `start` before the first block. */
const newStart = (n: number) => `start=${new Date(Date.UTC(1000, 0, 1 + n)).toISOString().slice(0, 10)}`;

/** Returns a new `start` after the wallet's first row: one nanosecond later each time, within the same second. */
const laterStart = ({ first }: Wallet, n: number) =>
  `start=${first.replace(' ', 'T')}.${String(n + 1).padStart(9, '0')}Z`;

/** Returns new tags: the wallet's own transaction, and one that it does not have. */
function newTags({ transfer }: Pick<Wallet, 'transfer'>, n: number): string {
  const other = n.toString(16).padStart(64, '0');
  return `tags=${encodeURIComponent(JSON.stringify({ ...(transfer && { [transfer]: 'gift' }), [other]: 'gift' }))}`;
}

function requestsOf(usual: Wallet, long: string, key: Headers): ComparedRequest[] {
  const [events, positions] = [report('events', usual.address), report('positions', usual.address)];
  const rows = `${usual.rows} rows`;
  return [
    { what: `events, ${rows}, again`, path: () => events, wanted: 1 },
    { what: `events, ${rows}, again, by key`, path: () => events, headers: key },
    { what: `events, ${rows}, again, 304`, path: () => events, conditional: true, wanted: 1 },
    {
      what: `events as CSV, ${LONG_ROWS} rows, again`,
      path: () => `${report('events', long)}&format=csv`,
      wanted: 1,
    },
    { what: `journal, ${LONG_ROWS} rows, again`, path: () => report('journal', long), wanted: 1 },
    { what: `events, ${rows}, filtered, the first time`, path: (n) => `${events}&${newStart(n)}`, wanted: 0.3 },
    {
      what: `events, ${usual.later_rows} of ${rows}, filtered, the first time`,
      path: (n) => `${events}&${laterStart(usual, n)}`,
      wanted: 0.3,
    },
    { what: `positions, ${rows}, tagged`, path: (n) => `${positions}&${newTags(usual, n)}`, wanted: 0.3 },
    { what: `events, ${rows}, tagged`, path: (n) => `${events}&${newTags(usual, n)}`, wanted: 0.15 },
    { what: `summary, ${rows}, the first time`, path: (n) => `${report('summary', usual.address)}&${newStart(n)}` },
  ];
}

/** Yields paths of every kind about every wallet; most are new. */
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

/** Measures the memory of a new server after many mixed requests. */
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

/** Adds long wallets to the wallet index of the data folder, then measures. */
export async function measureRequests(settings: Settings, dataDir: string): Promise<Measure[]> {
  const { all, usual, largest } = await chooseWallets(dataDir);
  const [long, large] = (await addGrownWallets(settings, dataDir, largest, [LONG_ROWS, LARGE_ROWS])) as [
    string,
    string,
  ];
  const key = await keyHeaders(dataDir);
  const measures: Measure[] = [];
  const server = await startServer(settings, dataDir);
  try {
    for (const request of requestsOf(usual, long, key)) measures.push(await compareRequest(settings, server, request));
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
