import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { readConfig } from '../../../pipeline/config.js';
import { type Claim, claimInFolder, claimInStore, type Job, startSchedule } from '../../../scripts/schedule/jobs.js';
import { Store } from '../../../server/people/store/store.js';
import { onBothStores } from '../../server/people/store/stores.js';

const EVERY_SECOND = '* * * * * *';
const silent = pino({ level: 'silent' });

test('two schedulers run a job once at each time; a failure does not end them', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const times: string[] = [];
  let enough = () => {};
  const ran = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const claim = claimInFolder(dataDir);
  const job: Job = {
    name: 'tick',
    times: EVERY_SECOND,
    async run() {
      if (times.length >= 2) enough();
      throw new Error('it fails');
    },
  };
  const noted: typeof claim = (name, time, work) =>
    claim(name, time, () => {
      times.push(time.toISOString());
      return work();
    });
  const ends = [startSchedule([job], noted, silent), startSchedule([job], noted, silent)];
  await ran;
  await Promise.all(ends.map((end) => end()));
  assert.equal(new Set(times).size, times.length, times.join(' '));
});

test('after a clock change jobs run by the new time, and missed runs are not logged', async (t) => {
  const RealDate = Date;
  let ahead = 400 * 86_400_000;
  class ShiftedDate extends RealDate {
    constructor(...given: [] | [number]) {
      super(...((given.length > 0 ? given : [RealDate.now() + ahead]) as [number]));
    }
    static override now = () => RealDate.now() + ahead;
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  t.after(() => {
    globalThis.Date = RealDate;
  });
  const runs: Date[] = [];
  const nexts: (Date | null)[] = [];
  const job: Job = {
    name: 'tick',
    times: EVERY_SECOND,
    run: async () => {},
    noteNext: (time) => void nexts.push(time),
  };
  const claim = async (_name: string, time: Date) => runs.push(time) > 0;
  const told = t.mock.method(console, 'warn', () => {});
  const end = startSchedule([job], claim, silent, 100);
  for (const next of [ahead, 0, 86_400_000, 0]) {
    ahead = next;
    const before = runs.length;
    while (runs.length < before + 2) await wait(20);
  }
  await end();
  assert.equal(told.mock.callCount(), 0);
  assert.ok(runs.at(-1)!.getTime() <= RealDate.now());
  assert.ok(nexts.at(-2)!.getTime() <= RealDate.now() + 2000);
});

test('ending signals running jobs and waits for them', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const steps: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const job: Job = {
    name: 'long',
    times: EVERY_SECOND,
    async run(signal) {
      begin();
      await once(signal, 'abort');
      steps.push('asked to end');
    },
  };
  const end = startSchedule([job], claimInFolder(dataDir), silent);
  await begun;
  await end();
  assert.deepEqual(steps, ['asked to end']);
});

test('a job receives its next time at each run, and null at the end', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const noted: (Date | null)[] = [];
  let enough = () => {};
  const ran = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const job: Job = {
    name: 'tick',
    times: EVERY_SECOND,
    run: async () => enough(),
    noteNext: (time) => void noted.push(time),
  };
  const end = startSchedule([job], claimInFolder(dataDir), silent);
  await ran;
  await end();
  assert.equal(noted.pop(), null);
  const [first, second] = noted;
  // A machine that is held up for more than a second misses a time.
  assert.ok(second! > first!, `${second} after ${first}`);
});

const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 0, minute));

onBothStores('claims of two schedulers', (variables) => {
  let claims: [Claim, Claim];
  const stores: Store[] = [];
  before(() => {
    const config = readConfig({ ...variables() });
    const claim = (): Claim => {
      if (config.databaseUrl === undefined) return claimInFolder(config.dataDir);
      const store = new Store(config);
      stores.push(store);
      return claimInStore(store);
    };
    claims = [claim(), claim()];
  });
  after(() => Promise.all(stores.map((store) => store.close())));

  test('two at once run a job once', async () => {
    for (let minute = 0; minute < 5; minute++) {
      let runs = 0;
      const work = async () => void runs++;
      const claimed = await Promise.all(claims.map((claim) => claim('quick', at(minute), work)));
      assert.deepEqual([runs, claimed.filter(Boolean).length], [1, 1]);
      assert.equal(await claims[0]('quick', at(minute), work), false, 'a clock that is late changes nothing');
    }
  });

  test('a run claimed by a clock far ahead does not block the job', async () => {
    const runs: number[] = [];
    for (const minute of [500_000, 0, 61, 30, 61, 62]) {
      await claims[minute % 2]!('ahead', at(minute), async () => void runs.push(minute));
    }
    assert.deepEqual(runs, [500_000, 0, 61, 62]);
  });

  test('a running job is not started twice, and other jobs are free', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const long = claims[0]('long', at(0), () => {
      begin();
      return finished;
    });
    await begun;
    const nothing = async () => {};
    assert.equal(await claims[1]('long', at(1), nothing), false);
    assert.equal(await claims[1]('other', at(1), nothing), true);
    finish();
    assert.equal(await long, true);
    assert.equal(await claims[1]('long', at(2), nothing), true);
  });
});

test('a job that starts at once runs before its first time, once for all schedulers of a folder', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  let runs = 0;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const job: Job = {
    ...{ name: 'due', times: '0 0 29 2 *', startsAtOnce: true },
    async run(signal) {
      runs++;
      begin();
      await once(signal, 'abort');
    },
  };
  const end = startSchedule([job], claimInFolder(dataDir), silent);
  await begun;
  await startSchedule([job], claimInFolder(dataDir), silent)();
  await end();
  assert.equal(runs, 1);
});
