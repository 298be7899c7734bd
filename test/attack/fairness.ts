/** Attacks by clients that ask for as much work as their quotas allow, while a neighbor asks for one summary after another. */
import { setTimeout as wait } from 'node:timers/promises';
import { chooseWallets } from '../../scripts/bench/wallets.js';
import { startProbe } from './probe.js';
import type { Attack, Finding, Place } from './suite.js';
import type { Victim } from './victim.js';
import { posting, signIn, statusOf } from './visitor.js';

const QUOTA = 60;
const LONG_MS = 70_000;
const SHORT_MS = 5000;
/** Time in which the neighbor is measured alone. */
const ALONE_MS = 20_000;
const SHORT_ALONE_MS = 2000;
/** The neighbor may take this many times as long as alone at p90. */
const SLOWDOWN_MAX = 3;
const RESIDENT_MB_MAX = 700;
const AT_ONCE = 4;
const WALLETS = 50;
const ACCOUNTS = 3;
const PUTS = 55;
const RIVAL = '192.0.2.1';
/** Pause after a refusal. */
const REFUSED_MS = 250;

/** Addresses with the most rows, the largest last. */
let largest: readonly string[] = [];

async function chooseLargest({ dataDir }: Place): Promise<Record<string, string>> {
  largest = (await chooseWallets(dataDir)).all.slice(-WALLETS).map(({ address }) => address);
  return {};
}

type Headers = Readonly<Record<string, string>>;

/** Returns the requests that cost the most work. `number` makes each answer different, so that none is cached. */
function dearest({ base }: Victim, headers: Headers): ((number: number) => Promise<number>)[] {
  const ask = (path: string, body: object) => (number: number) =>
    statusOf(`${base}/api/tax/v1/${path}?attempt=${number}`, posting(body, headers));
  const pair = { address: largest.slice(-2), ownWallets: 'carry' };
  return [
    ask('summary', pair),
    ask('journal', pair),
    ask('journal', { address: largest }),
    ask('journal', { address: largest.at(-1), profile: 'form8949', format: 'pdf' }),
  ];
}

/** Statuses of a rival's answers. */
type Statuses = Map<number, number>;
type Rival = (victim: Victim, place: Place, isOver: () => boolean) => Promise<Statuses>;

const count = (statuses: Statuses, status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1);

/** Keeps the dearest requests running, `AT_ONCE` for each client. */
async function keepAsking(victim: Victim, clients: readonly Headers[], isOver: () => boolean): Promise<Statuses> {
  const statuses: Statuses = new Map();
  let sent = 0;
  const ask = async (headers: Headers) => {
    const requests = dearest(victim, headers);
    while (!isOver()) {
      const number = sent++;
      const status = await requests[number % requests.length]!(number);
      count(statuses, status);
      if (status !== 200) await wait(REFUSED_MS);
    }
  };
  await Promise.all(clients.flatMap((headers) => Array.from({ length: AT_ONCE }, () => ask(headers))));
  return statuses;
}

const address: Headers = { 'x-forwarded-for': RIVAL };

/** @throws Error if a sign-in is refused */
async function accountsOfAddress(victim: Victim, { random }: Place, accounts: number): Promise<Headers[]> {
  const clients: Headers[] = [];
  for (let i = 0; i < accounts; i++) {
    const session = await signIn(victim, random, address);
    if (!session) throw new Error('sign-in is refused');
    clients.push({ ...session, ...address });
  }
  return clients;
}

/** Replaces saved decisions about the largest wallet, all at once. */
async function savesDecisions(victim: Victim, place: Place): Promise<Statuses> {
  const [headers] = await accountsOfAddress(victim, place, 1);
  const decisions = Object.fromEntries(
    Array.from({ length: 600 }, (_, i) => [i.toString(16).padStart(64, '0'), { mode: 'exclude' }]),
  );
  const url = `${victim.base}/api/tax/v1/saved-decisions?address=${largest.at(-1)}`;
  const statuses: Statuses = new Map();
  const put = async () => count(statuses, await statusOf(url, { ...posting({ decisions }, headers), method: 'PUT' }));
  await Promise.all(Array.from({ length: PUTS }, put));
  return statuses;
}

/** Statuses that a rival may get: answers and refusals for now. */
const FAIR = [200, 429, 503];
const DIED = 'a thread that makes answers died';

async function compete(victim: Victim, place: Place, rival: Rival): Promise<Finding> {
  const { isShort } = place;
  const path = `/api/tax/v1/summary?address=${largest.at(-1)}`;
  const quiet = startProbe(victim.base, `${path}&phase=alone`);
  await wait(isShort ? SHORT_ALONE_MS : ALONE_MS);
  const alone = await quiet.stop();
  const probe = startProbe(victim.base, `${path}&phase=beside`);
  const began = performance.now();
  const statuses = await rival(victim, place, () => performance.now() - began > (isShort ? SHORT_MS : LONG_MS));
  const beside = await probe.stop();
  const after = await statusOf(`${victim.base}${path}&attempt=after`);
  const [slowdown, peakMb, deaths] = [beside.p90Ms / alone.p90Ms, victim.peakMb(), victim.linesWith(DIED).length];
  const isFair = beside.failures === 0 && [...statuses.keys()].every((status) => FAIR.includes(status));
  const isServing = victim.isRunning && after === 200 && deaths === 0;
  const isWithin = isShort || (slowdown <= SLOWDOWN_MAX && peakMb <= RESIDENT_MB_MAX);
  const rivals = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
  const lost =
    `a summary takes ${Math.round(alone.p90Ms)} ms alone, ${Math.round(beside.p90Ms)} beside at p90 ` +
    `(× ${slowdown.toFixed(1)}); ${beside.answers} answered, ${beside.failures} failed; rivals: ${rivals}; ` +
    `${deaths} threads died; ${Math.round(peakMb)} MB at most`;
  return { lost, holds: isFair && isServing && isWithin };
}

const contest = (name: string, what: string, rival: Rival): Attack => ({
  ...{ name, what, isShort: true, log: 'kept', prepare: chooseLargest },
  environment: { HUBLEDGER_RATE_LIMIT: String(QUOTA), HUBLEDGER_LOG_LEVEL: 'warn' },
  bounds: { growth: Number.POSITIVE_INFINITY }, // RESIDENT_MB_MAX bounds the memory
  run: (victim, place) => compete(victim, place, rival),
});

export const fairnessAttacks: readonly Attack[] = [
  contest('one client', `one client keeps ${AT_ONCE} of the most expensive requests running`, (victim, _, isOver) =>
    keepAsking(victim, [address], isOver),
  ),
  contest(
    'one address',
    `${ACCOUNTS} free accounts of one address keep ${AT_ONCE} expensive requests running each`,
    async (victim, place, isOver) => keepAsking(victim, await accountsOfAddress(victim, place, ACCOUNTS), isOver),
  ),
  contest(
    'saved decisions',
    `one client saves decisions about the largest wallet ${PUTS} times at once`,
    savesDecisions,
  ),
];
