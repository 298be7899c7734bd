/** Attacks on files and disks of a server. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Attack, Place } from './suite.js';
import { environmentOf, Victim } from './victim.js';
import { signIn, statusOf } from './visitor.js';

/** Seconds until a server must serve again. */
const WATCHED_S = 60;

const READS_S = 6;

const brokenStore: Attack = {
  name: 'broken store',
  what: 'the embedded store has lost its control file',
  isShort: true,
  log: 'kept',
  // The store opens during the attack, and an open one doubles the memory of an idle server.
  bounds: { growth: 3 },
  async prepare(place) {
    const victim = await Victim.start(place, {});
    await signIn(victim, place.random);
    await victim.end();
    const folder = join(place.dataDir, 'store/global');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pg_control'), '');
    truncateSync(join(folder, 'pg_control'));
    return {};
  },
  async run(victim) {
    const { base } = victim;
    let refused = 0;
    for (let second = 0; second < READS_S; second++) {
      if ((await statusOf(`${base}/api/tax/v1/tags`)) !== 200) refused++;
      await wait(1000);
    }
    const account = await statusOf(`${base}/api/account/v1/me`, {
      headers: { cookie: '__Secure-hubledger.session-token=a' },
    });
    const lines = victim.linesWith('the store is unavailable: sign-in and keys').length;
    return {
      lost: `${refused} of ${READS_S} public reads; accounts answer ${account}, ${lines} line explains it`,
      holds: refused === 0 && account === 503 && lines === 1,
    };
  },
};

const cutIndex: Attack = {
  name: 'cut index',
  what: 'the wallet index was truncated, as by a full disk or an interrupted copy',
  isShort: true,
  log: 'kept',
  async prepare({ dataDir }) {
    const stores = join(dataDir, 'stores');
    for (const id of readdirSync(stores)) {
      const file = join(stores, id, 'data.mdb');
      truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    }
    return {};
  },
  async run(victim) {
    let status = 0;
    for (let second = 0; second < WATCHED_S && status !== 200; second++) {
      status = await statusOf(`${victim.base}/readyz`);
      if (status !== 200) await wait(1000);
    }
    const lines = victim.linesWith('the wallet index of').length; // damaged, or rebuilt
    return { lost: `/readyz answers ${status}, ${lines} line explains it`, holds: status === 200 && lines === 1 };
  },
};

/** The first file of each pattern is cut in half. */
const CUT = [/^CURRENT$/, /^generations\/.*manifest\.json$/, /^raw\/.*\.parquet$/, /^classified\/.*\.parquet$/];
/** Texts in which a night names what it rebuilds. */
const NAMED = ['this generation was damaged', 'raw blocks is damaged', 'classified rows are damaged'];
const READS = 10;
const END_MS_MAX = 12_000;

function cutHalf({ dataDir }: Place): void {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort();
  for (const pattern of CUT) {
    const file = join(dataDir, files.find((name) => pattern.test(name))!);
    truncateSync(file, statSync(file).size >> 1);
  }
}

const read = ({ base }: Victim) => statusOf(`${base}/api/tax/v1/catalog`);

/** Runs a night, and a second one if the first has only moved damaged files away. @returns their output */
function runNights({ program, dataDir }: Place): string {
  const env = environmentOf({ dataDir });
  const night = () => spawnSync(process.execPath, [program, 'nightly'], { env, encoding: 'utf8' });
  const { status, stdout, stderr } = night();
  return stdout + stderr + (status === 0 ? '' : night().stdout);
}

/** Reads until the server has a dataset. @returns the last status */
async function readAgain(server: Victim): Promise<number> {
  let status = 0;
  for (let second = 0; second < WATCHED_S && status !== 200; second++) {
    status = await read(server);
    if (status !== 200) await wait(1000);
  }
  return status;
}

const cutFiles: Attack = {
  name: 'cut files',
  what: 'CURRENT, the manifest, raw blocks and classified rows are cut in half, under one server and before another',
  isShort: false,
  needsSample: true,
  async run(victim, place) {
    cutHalf(place);
    let refused = 0;
    for (let i = 0; i < READS; i++) if ((await read(victim)) !== 200) refused++;
    const late = await Victim.start(place, {}, 'kept');
    await read(late);
    const said = runNights(place);
    const status = await readAgain(late);
    const lines = late.linesWith('generation cannot be opened').length;
    const unnamed = NAMED.filter((words) => !said.includes(words)).length;
    const endMs = await late.end();
    const lost = `${refused} of ${READS} reads, ${status} after the night, ${lines} line at the start, ${unnamed} files unnamed`;
    return { lost, holds: refused + unnamed === 0 && status === 200 && lines === 1 && endMs < END_MS_MAX };
  },
};

const fullLog: Attack = {
  name: 'full log',
  what: 'the log goes to a full disk',
  isShort: true,
  log: 'full',
  async run({ base }) {
    const asked = Array.from({ length: 20 }, () =>
      statusOf(`${base}/api/tax/v1/tags`, { signal: AbortSignal.timeout(30_000) }),
    );
    const refused = (await Promise.all(asked)).filter((status) => status !== 200).length;
    return { lost: `${refused} of 20 reads`, holds: refused === 0 };
  },
};

const LOGGED_REQUESTS = 30_000;
const CLIENTS = 50;

const unreadLog: Attack = {
  name: 'unread log',
  what: `${LOGGED_REQUESTS} paths of eight kilobytes while the log is not read`,
  isShort: false,
  log: 'unread',
  async run({ base }) {
    const url = `${base}/${'!'.repeat(8000)}`;
    let asked = 0;
    const ask = async () => {
      while (asked++ < LOGGED_REQUESTS) await statusOf(url);
    };
    await Promise.all(Array.from({ length: CLIENTS }, ask));
    const status = await statusOf(`${base}/api/tax/v1/tags`);
    return { lost: status === 200 ? 'nothing' : `a read is answered ${status}`, holds: status === 200 };
  },
};

/** Runs a test file in its long form. @returns the numbers of passed and failed tests */
async function runTests(file: string): Promise<{ passed: number; failed: number }> {
  const program = join(projectRoot(), `dist/test/${file}.test.js`);
  const child = spawn(process.execPath, [program, '--full'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [report] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const countOf = (kind: string) => Number(new RegExp(`^# ${kind} (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
  return { passed: countOf('pass'), failed: countOf('fail') + countOf('cancelled') };
}

const tested = (name: string, what: string, file: string): Attack => ({
  name,
  what,
  isShort: false,
  // The tests have their own servers and keep the machine busy.
  bounds: { stallMs: Number.POSITIVE_INFINITY },
  async run() {
    const { passed, failed } = await runTests(file);
    return { lost: `${failed} of ${passed + failed} tests`, holds: failed === 0 && passed > 0 };
  },
});

/** Attacks that tests carry out. */
const testedAttacks: readonly Attack[] = [
  tested('containers', 'nights, servers and the command line in containers on one folder', 'scripts/containers'),
  tested(
    'shared store',
    'two servers on one PostgreSQL, 240 keys and twenty rounds of SIGKILL',
    'scripts/shared-store',
  ),
  tested('damaged files', 'every file of a data folder cut, emptied, changed and removed', 'pipeline/damaged-data'),
  tested('full disk', 'a disk in memory that fills up under the store', 'scripts/full-disk'),
  tested('lost database', 'PostgreSQL stopped and frozen, the embedded store broken', 'server/people/store/outage'),
  tested('power cut', 'what the store has acknowledged is on disk', 'server/people/store/store'),
];

export const damageAttacks: readonly Attack[] = [brokenStore, cutIndex, cutFiles, fullLog, unreadLog, ...testedAttacks];
