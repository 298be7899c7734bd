/** Descriptions of jobs for other machines. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, DifferentPieces, isSystemFault } from '../../../pipeline/base/config-error.js';
import { sealFolder } from '../../../pipeline/base/disk/sealed-folder.js';
import { BlockError } from '../../../pipeline/chain/block-error.js';
import { describeJob, errorFromText, errorText, jobIn, nameOf } from '../../../pipeline/night/queue/job-files.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-jobs-'));
after(() => rmSync(root, { recursive: true }));

/** Makes a data folder with an unfinished generation, whose name has a random part, and a sealed piece. */
async function dataFolder(name: string, random: string) {
  const dataDir = join(root, name);
  const generation = join(dataDir, `generations/.unfinished-night-${random}-next`);
  mkdirSync(join(generation, 'prices'), { recursive: true });
  writeFileSync(join(generation, 'prices/all.parquet'), 'prices');
  const before = join(dataDir, 'pieces/replay/k1');
  mkdirSync(`${before}-making/ledger_entries`, { recursive: true });
  writeFileSync(`${before}-making/states.jsonl`, 'states');
  writeFileSync(`${before}-making/ledger_entries/2026-01.parquet`, 'entries');
  await sealFolder(`${before}-making`, before);
  const job = {
    folder: join(dataDir, 'pieces/replay/k2'),
    month: { month: '2026-02', first: 1, last: 2 },
    events: [join(generation, 'prices/all.parquet')],
    before,
    opening: join(dataDir, 'none.txt'),
    denoms: ['data://x', '$path', `${dataDir}x`],
  };
  return { dataDir, job };
}

test('a description names inputs by path and hash, and not by the folder of one machine or run', async () => {
  const one = await dataFolder('one', '0a1b2c3d');
  const other = await dataFolder('other', 'ffffffff');
  const { description, files } = await describeJob('replay', one.job, one.dataDir);
  assert.deepEqual(
    description.inputs.map(({ path }) => path),
    [
      'generations/next/prices/all.parquet',
      'pieces/replay/k1/ledger_entries/2026-01.parquet',
      'pieces/replay/k1/states.jsonl',
      'pieces/replay/k1/sums.json',
    ],
  );
  for (const { sha256 } of description.inputs) assert.ok(files.has(sha256));
  const text = JSON.stringify(description);
  assert.ok(!text.includes(`${one.dataDir}/`), text);
  const { denoms: _, ...job } = other.job;
  const again = await describeJob('replay', { ...job, denoms: one.job.denoms } as never, other.dataDir);
  assert.equal(JSON.stringify(again.description), text);

  const place = join(root, 'place');
  const placed = jobIn(place, JSON.parse(text).job);
  assert.deepEqual(placed, {
    ...one.job,
    folder: join(place, 'pieces/replay/k2'),
    events: [join(place, 'generations/next/prices/all.parquet')],
    before: join(place, 'pieces/replay/k1'),
    opening: join(place, 'none.txt'),
  });
});

test('a changed input changes the description', async () => {
  const { dataDir, job } = await dataFolder('changed', '0a1b2c3d');
  const { description } = await describeJob('replay', job, dataDir);
  writeFileSync(join(dataDir, 'pieces/replay/k1/states.jsonl'), 'other');
  const changed = await describeJob('replay', job, dataDir);
  assert.notDeepEqual(changed.description.inputs, description.inputs);
});

test('errors keep their class and get the paths of the data folder', () => {
  const restored = (error: Error) => errorFromText(errorText(error, '/sandbox'), 'months 2026-01', '/data');
  const block = restored(new BlockError(7, 'AB', 'it is wrong'));
  assert.ok(block instanceof BlockError && block.height === 7);
  assert.ok(restored(new ConfigError('no')) instanceof ConfigError);
  const different = restored(new DifferentPieces('/sandbox/pieces/a differs'));
  assert.ok(different instanceof DifferentPieces);
  assert.equal(different.message, '/data/pieces/a differs');
  const full = restored(Object.assign(new Error('ENOSPC'), { syscall: 'write' }));
  assert.ok(isSystemFault(full) && !(full instanceof ConfigError));
  const stalled = errorFromText('job stalled more than allowable limit', 'months 2026-01', '/data');
  assert.equal(stalled.message, 'months 2026-01 failed: job stalled more than allowable limit');
});

test('jobs have names for people', () => {
  assert.equal(nameOf('months', { month: { month: '2026-01' } }), 'months 2026-01');
  assert.equal(nameOf('classify', { first: 1, last: 500 }), 'classify 1-500');
});
