import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { cpSync, linkSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { lastNight } from '../../pipeline/base/disk/run-records.js';
import { stepsFor } from '../../pipeline/nightly.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { NightCase, treeHashes } from './night-case.js';

const steps = stepsFor({ wallets: undefined });

const chain = new NightCase();
let half: Outcome;
let whole: Outcome;
before(async () => {
  half = await chain.night('half', { until: 500 });
  whole = await chain.night('whole', { workers: 2 });
});
after(() => chain.remove());

/** Starts a night where half of the blocks are published, and calls at the begin of each step until one call says that it is enough. */
async function watchNight(dataDir: string, begins: (step: string, night: ChildProcess) => Promise<boolean>) {
  cpSync(chain.path('half'), chain.path(dataDir), { recursive: true });
  const night = chain.start(dataDir, 'nightly', '--workers', '2');
  const gone = new Promise<void>((resolve) => night.on('exit', () => resolve()));
  for await (const line of createInterface({ input: night.stdout! })) {
    const said = JSON.parse(line);
    if (said.msg === 'begins' && (await begins(said.step, night))) break;
  }
  night.kill('SIGKILL');
  await gone;
}

/** Kills a night so many milliseconds after it says that it begins the step. */
const killNight = (dataDir: string, step: string, delay: number) =>
  watchNight(dataDir, async (begun) => {
    if (begun === step) await wait(delay);
    return begun === step;
  });

/** Copies a folder of a process that stands still. What a lock is held by is the same socket in the copy: it dies with the process. */
function copyStill(from: string, to: string): void {
  const isSocket = (file: string) => statSync(file).isSocket();
  cpSync(from, to, { recursive: true, filter: (file) => !isSocket(file) });
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (isSocket(join(from, file))) linkSync(join(from, file), join(to, file));
  }
}

const stateOf = ({ pid }: ChildProcess) => String(spawnSync('sh', ['-c', `ps -o stat= -p ${pid}`]).stdout);

/** Runs one night, and keeps what its folder has whenever a step begins: what a kill at that moment would leave. */
const keepMoments = (folderOf: (step: string) => string) =>
  watchNight('moments', async (step, night) => {
    night.kill('SIGSTOP');
    while (!stateOf(night).startsWith('T')) {
      await wait(1);
      assert.equal(night.exitCode ?? night.signalCode, null, 'it has ended');
    }
    copyStill(chain.path('moments'), chain.path(folderOf(step)));
    night.kill('SIGCONT');
    return step === steps.at(-1)!.name;
  });

/** A generation lies in both data folders with the same bytes, and has its store. */
function assertSame(dataDir: string, other: string, generation: string): void {
  const bytes = (folder: string) => treeHashes(chain.path(folder, 'generations', generation));
  assert.deepEqual(bytes(dataDir), bytes(other));
  assert.ok(readdirSync(chain.path(dataDir, 'stores')).includes(generation));
}

/** The generation in force is whole, be it the old one or the new one. */
function assertInForce(dataDir: string): void {
  const current = readFileSync(chain.path(dataDir, 'CURRENT'), 'utf8').trim();
  assertSame(dataDir, current === half.generation ? 'half' : 'whole', current);
}

/** Long steps while they are under way. */
const MOMENTS = [
  { step: 'index and fold', delay: 60 },
  { step: 'classify', delay: 120 },
  { step: 'replay wallets', delay: 30 },
  { step: 'audit', delay: 90 },
  { step: 'seal generation', delay: 3 },
];

/** Requires that a folder which a killed night left is whole, and that the next night there publishes what others do. */
async function requireMended(dataDir: string): Promise<void> {
  assertInForce(dataDir);
  const { generation } = await chain.night(dataDir);
  assert.equal(generation, whole.generation);
  assertSame(dataDir, 'whole', generation);
  const left = readdirSync(chain.path(dataDir), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    left.filter((name) => /unfinished|\.tmp$|^locks\//.test(name)),
    [],
  );
}

describe('a night killed at any moment leaves the dataset whole, and the next one publishes the same', {
  concurrency: 2,
}, () => {
  const folderOf = (step: string) => `at ${step}`;
  before(() => keepMoments(folderOf));
  for (const { name } of steps) test(`as it begins to ${name}`, () => requireMended(folderOf(name)));
  for (const [i, { step, delay }] of MOMENTS.entries()) {
    test(`${delay} ms into ${step}`, async () => {
      await killNight(`killed-${i}`, step, delay);
      await requireMended(`killed-${i}`);
    });
  }
});

describe('a night killed four times at random moments, and run again after each kill, publishes the same', {
  concurrency: 2,
}, () => {
  let wholeMs = 0;
  const startNight = (dataDir: string) => {
    const night = chain.start(dataDir, 'nightly', '--workers', '2');
    night.stdout!.resume();
    return { night, gone: new Promise<void>((resolve) => night.on('exit', () => resolve())) };
  };
  before(async () => {
    cpSync(chain.path('half'), chain.path('timed'), { recursive: true });
    const begin = performance.now();
    const { night, gone } = startNight('timed');
    await gone;
    assert.equal(night.exitCode, 0);
    wholeMs = performance.now() - begin;
  });
  const moments = fc.double({ min: 0, max: 0.95, noNaN: true });
  const chains = fc.sample(fc.tuple(moments, moments, moments, moments), { seed: 20261126, numRuns: 25 });
  for (const [i, shares] of chains.entries()) {
    test(`at ${shares.map((share) => share.toFixed(2)).join(', ')} of its time`, async (t) => {
      const dataDir = `random-${i}`;
      cpSync(chain.path('half'), chain.path(dataDir), { recursive: true });
      for (const share of shares) {
        const { night, gone } = startNight(dataDir);
        await wait(share * wholeMs);
        night.kill('SIGKILL');
        await gone;
        t.diagnostic(`ended by ${night.signalCode ?? night.exitCode}`);
        assertInForce(dataDir);
      }
      await requireMended(dataDir);
    });
  }
});

test('blocks that the chain does not have are no night: the last one stays the last', async () => {
  const last = lastNight.read(chain.path('whole'));
  assert.equal(last?.outcome, 'published');
  for (const options of [{ from: 5000, workers: 1 }, { until: '2020-01-01' }, { from: 510, until: 500 }]) {
    await assert.rejects(() => chain.night('whole', options), /there is no block /);
    assert.deepEqual(lastNight.read(chain.path('whole')), last);
  }
});

test('a night on a folder where another runs is refused', async () => {
  const child = chain.start('whole', 'nightly');
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout! })) if (line) break;
  child.kill('SIGSTOP'); // else it may be over before the other one begins
  await assert.rejects(() => chain.night('whole'), /a nightly run is already in progress: process \d+/);
  child.kill('SIGKILL');
  await gone;
});
