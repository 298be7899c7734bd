/** Nights after other nights, with a starting state: the fold goes on from where the last night ended, was killed or stopped. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { BlockError } from '../../pipeline/chain/block-error.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { FOLDED, NightCase, treeHashes } from './night-case.js';

const chain = new NightCase(FOLDED);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

const folderOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);

test('several nights, some with guesses of the fold still open, give the bytes of a single one', async () => {
  for (const until of [300, 381]) await chain.night('parts', { until });
  const parts = await chain.night('parts');
  assert.equal(parts.generation, whole.generation);
  assert.deepEqual(treeHashes(folderOf('parts', parts)), treeHashes(folderOf('whole', whole)));
  const back = await chain.night('parts', { until: 300, allowLoss: true });
  assert.match(back.generation, /^h300-/);
  assert.equal((await chain.night('parts')).generation, whole.generation);
});

test('a night killed while it folds is taken up again', async () => {
  cpSync(chain.path('whole/raw'), chain.path('killed/raw'), { recursive: true });
  for (const delay of [200, 700]) {
    const child = chain.start('killed', 'nightly', '--workers', '1');
    const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
    for await (const line of createInterface({ input: child.stdout! })) {
      if (JSON.parse(line).step === 'index and fold') break;
    }
    await wait(delay);
    child.kill('SIGKILL');
    await gone;
  }
  assert.equal((await chain.night('killed')).generation, whole.generation);
  const left = readdirSync(chain.path('killed'), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    left.filter((name) => name.includes('unfinished')),
    [],
  );
});

test('a figure of the chain that the fold does not have is told in one line, and the night publishes', async () => {
  const broken = new NightCase(FOLDED);
  try {
    const lines = broken.lines();
    const at = lines.findIndex((line) =>
      /"type":"withdraw_rewards","attributes":\[\{"key":"amount","value":"\d{4}/.test(line),
    );
    broken.record(lines.map((line, i) => (i === at ? falsified(line) : line)));
    const { code, out } = await broken.command('data', 'nightly');
    assert.equal(code, 0);
    const told = out.split('\n').filter((line) => line.includes(`holdings end at block ${at}: block ${at + 1}, `));
    assert.equal(told.length, 1);
  } finally {
    broken.remove();
  }
});

test('a night that stops at a block ends its fold as well, and the next one takes it up', async () => {
  const broken = new NightCase(FOLDED);
  try {
    const lines = broken.lines();
    broken.record(lines.map((line, i) => (i === 299 ? line.slice(0, 500) : line)));
    await assert.rejects(
      () => broken.night('data'),
      (error) => error instanceof BlockError && error.height === 300,
    );
    broken.record(lines);
    assert.equal((await broken.night('data')).generation, whole.generation);
  } finally {
    broken.remove();
  }
});

/** The first reward of a block with another last digit. */
const falsified = (line: string) =>
  line.replace(
    /("type":"withdraw_rewards","attributes":\[\{"key":"amount","value":"\d{3})(\d)/,
    (_, before, digit) => before + ((Number(digit) + 1) % 10),
  );
