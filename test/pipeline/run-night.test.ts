import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readLastNight } from '../../pipeline/disk/last-night.js';
import { steps } from '../../pipeline/nightly.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { NightCase, treeHashes } from './night-case.js';

const chain = new NightCase();
let half: Outcome;
let whole: Outcome;
before(async () => {
  half = await chain.night('half', { until: 500 });
  whole = await chain.night('whole', { workers: 2 });
});
after(() => chain.remove());

/** Starts a night and kills it so many milliseconds after it says that it begins the step. */
async function killNight(dataDir: string, step: string, delay: number): Promise<void> {
  const child = chain.start(dataDir, 'nightly', '--workers', '2');
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout! })) {
    const said = JSON.parse(line);
    if (said.step === step && said.msg === 'begins') break;
  }
  await wait(delay);
  child.kill('SIGKILL');
  await gone;
}

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

/** Every step as it begins, and the long ones again when they are under way. */
const moments = [
  ...steps.map(({ name }) => ({ step: name, delay: 0 })),
  { step: 'index and fold', delay: 60 },
  { step: 'classify', delay: 120 },
  { step: 'replay wallets', delay: 30 },
  { step: 'audit', delay: 90 },
  { step: 'seal generation', delay: 3 },
];

describe('a night killed at any moment leaves the dataset whole, and the next one publishes the same', {
  concurrency: 2,
}, () => {
  for (const [i, { step, delay }] of moments.entries()) {
    test(`${delay} ms into ${step}`, async () => {
      const dataDir = `killed-${i}`;
      cpSync(chain.path('half'), chain.path(dataDir), { recursive: true });
      await killNight(dataDir, step, delay);
      assertInForce(dataDir);
      const { generation } = await chain.night(dataDir);
      assert.equal(generation, whole.generation);
      assertSame(dataDir, 'whole', generation);
      const left = readdirSync(chain.path(dataDir), { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        left.filter((name) => /unfinished|\.tmp$|^locks\//.test(name)),
        [],
      );
    });
  }
});

test('blocks that the chain does not have are no night: the last one stays the last', async () => {
  const last = readLastNight(chain.path('whole'));
  assert.equal(last?.outcome, 'published');
  for (const options of [{ from: 5000, workers: 1 }, { until: '2020-01-01' }, { from: 510, until: 500 }]) {
    await assert.rejects(() => chain.night('whole', options), /there is no block /);
    assert.deepEqual(readLastNight(chain.path('whole')), last);
  }
});

test('a night on a folder where another runs is refused', async () => {
  const child = chain.start('whole', 'nightly');
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  for await (const line of createInterface({ input: child.stdout! })) if (line) break;
  child.kill('SIGSTOP'); // else it may be over before the other one begins
  await assert.rejects(() => chain.night('whole'), /a night is running already: process \d+/);
  child.kill('SIGKILL');
  await gone;
});
