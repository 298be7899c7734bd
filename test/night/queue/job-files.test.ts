/** Descriptions of jobs for other machines. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, DifferentPieces, isSystemFault } from '../../../pipeline/base/config-error.js';
import { sealFolder } from '../../../pipeline/base/disk/sealed-folder.js';
import { BlockError } from '../../../pipeline/chain/block-error.js';
import {
  describeJob,
  errorFromText,
  errorText,
  jobIn,
  nameOf,
  programOf,
  RefusedJob,
  readDescription,
  readJob,
} from '../../../pipeline/night/queue/job-files.js';
import { QueueKey } from '../../../pipeline/night/queue/queue-key.js';

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
  const told = JSON.parse(text).job;
  assert.deepEqual(told.denoms, one.job.denoms, 'a path outside of the data folder is no input');
  const placed = jobIn(place, { ...told, denoms: ['data://x'] });
  assert.deepEqual(placed, {
    ...one.job,
    denoms: ['data://x'],
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

const STORE = '0123456789abcdef';
const queue = { key: new QueueKey('0f'.repeat(32), STORE) };
const HASH = 'a'.repeat(64);
const KEY = 'b'.repeat(20);
const DATA = {
  kind: 'replay',
  description: HASH,
  key: KEY,
  program: 'p',
  name: 'replay 2026-01',
  again: false,
  isUrgent: false,
};
const queued = (id: string, data: unknown) => ({ id, data }) as Parameters<typeof readJob>[1];
const signedBy = (key: QueueKey, data: object = DATA) => key.signed('job', JSON.stringify(data));

test('a job is read only with the signature of its store and key, whatever the order of its members', () => {
  const id = `replay-${KEY}`;
  const { text, signature } = signedBy(queue.key);
  assert.deepEqual(readJob(queue, queued(id, { signature, text })), DATA);
  assert.equal(programOf(queue, queued(id, { text, signature })), 'p');
  const unsigned: Record<string, unknown> = {
    plain: DATA,
    'no signature': { text },
    'a number': { text, signature: 5 },
    'a short signature': { text, signature: signature.slice(2) },
    'another text': { text: text.replace('replay 2026-01', 'replay 2026-02'), signature },
    'another key': signedBy(new QueueKey('f0'.repeat(32), STORE)),
    'another store': signedBy(new QueueKey('0f'.repeat(32), 'fedcba9876543210')),
    'another purpose': queue.key.signed('failure', text),
    nothing: null,
  };
  for (const [what, data] of Object.entries(unsigned)) {
    const refused = new RefusedJob(
      'no coordinator of this store has signed it with the HUBLEDGER_QUEUE_KEY of this worker',
    );
    assert.throws(() => readJob(queue, queued(id, data)), refused, what);
    assert.equal(programOf(queue, queued(id, data)), undefined);
  }
});

test('a signed job is refused if it could be joined to a path, or has the id of another job', () => {
  const id = `replay-${KEY}`;
  const other = new RefusedJob('its signed text describes no job with this id');
  assert.throws(() => readJob(queue, queued(`replay-${'c'.repeat(20)}`, signedBy(queue.key))), other);
  for (const changes of [
    { key: '../../x' },
    { key: `${KEY}/` },
    { key: `${KEY}\n` },
    { kind: 'toString' },
    { kind: '../x' },
    { description: '../CURRENT' },
    { description: HASH.toUpperCase() },
    { name: 'replay 2026-01\n{"level":"info"}' },
    { name: 'replay \u001b[2J' },
  ]) {
    const data = { ...DATA, ...changes };
    const { kind, key } = data;
    for (const one of [id, `${kind}-${key}`])
      assert.throws(() => readJob(queue, queued(one, signedBy(queue.key, data))), other, JSON.stringify(changes));
  }
});

/** Paths that lead out of a folder, or to a hidden file. */
const POISON = [
  '../x',
  '/etc/x',
  'a/../../x',
  'a//x',
  './x',
  'a/.',
  '.x',
  'a/.x',
  'a\\x',
  'a\u0000x',
  'a\n',
  '',
  5,
  null,
];

test('a description is refused if a path could lead out of the folder of its job', () => {
  const described = (changes: object) =>
    JSON.stringify({
      kind: 'replay',
      job: { folder: { $path: 'pieces/replay/k' }, events: [{ $path: 'a' }] },
      inputs: [{ path: 'a', sha256: HASH }],
      ...changes,
    });
  assert.equal(readDescription(described({}), 'replay').kind, 'replay');
  const refused = (changes: object) =>
    assert.throws(() => readDescription(described(changes), 'replay'), RefusedJob, JSON.stringify(changes));
  for (const path of POISON) {
    refused({ inputs: [{ path, sha256: HASH }] });
    refused({ job: { folder: { $path: path } } });
    assert.throws(() => jobIn(root, { events: [{ $path: path }] }), ConfigError);
  }
  refused({ inputs: [{ path: 'a', sha256: '../a' }] });
  refused({ job: { folder: '/etc' } });
  refused({ kind: 'months' });
  assert.throws(() => jobIn(root, { events: ['/etc/passwd'] }), new RefusedJob('it names an absolute path'));
});

test('a path of a job does not pass through a symbolic link', () => {
  const folder = join(root, 'linked');
  mkdirSync(join(folder, 'pieces'), { recursive: true });
  symlinkSync(root, join(folder, 'pieces/replay'));
  for (const path of ['pieces/replay', 'pieces/replay/k'])
    assert.throws(() => jobIn(folder, { folder: { $path: path } }), /pieces\/replay is a symbolic link, which /);
  assert.deepEqual(jobIn(folder, { $path: 'pieces/other/k' }), join(folder, 'pieces/other/k'));
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
