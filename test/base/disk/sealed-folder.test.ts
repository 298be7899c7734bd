import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  damagedFile,
  missizedFile,
  removeSealed,
  sealFolder,
  wasCompared,
} from '../../../pipeline/base/disk/sealed-folder.js';
import { DAMAGES } from '../../damage.js';

const FILES = { 'a.parquet': 'abc'.repeat(1000), 'b.json': '{"b":1}', 'c.txt': 'c' };

const LARGE = { ...FILES, 'a.parquet': 'abc'.repeat(500_000) };

async function sealed(context: TestContext, files: Readonly<Record<string, string>> = FILES): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'hubledger-sealed-'));
  context.after(() => rmSync(root, { recursive: true }));
  const making = join(root, 'making');
  mkdirSync(making);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(making, name), text);
  await sealFolder(making, join(root, 'made'));
  return join(root, 'made');
}

test('a sealed folder is whole, and every damage to any file of it is found and named', async (t) => {
  assert.equal(await damagedFile(await sealed(t)), undefined);
  for (const name of [...Object.keys(FILES), 'sums.json']) {
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      const folder = await sealed(t);
      damage(join(folder, name));
      const found = await damagedFile(folder);
      // A seal that is not as it was accuses a file, and that folder is made again all the same.
      if (name === 'sums.json') assert.notEqual(found, undefined, `${name} ${kind}`);
      else assert.equal(found, name, kind);
      if (kind !== 'flipped') assert.notEqual(missizedFile(folder), undefined, `${name} ${kind}`);
    }
  }
  assert.equal(await damagedFile(join(tmpdir(), 'hubledger-no-such-folder')), 'sums.json');
});

test('hashes of a small folder are compared at every use', async (t) => {
  const folder = await sealed(t);
  const file = join(folder, 'a.parquet');
  assert.ok(wasCompared(folder));
  const { atime, mtime } = statSync(file);
  DAMAGES.flipped!(file);
  utimesSync(file, atime, mtime);
  assert.ok(!wasCompared(folder));
  assert.equal(await damagedFile(folder), 'a.parquet');
  assert.deepEqual(readdirSync(folder), [...Object.keys(FILES), 'sums.json'].sort());
});

test('hashes of a large folder are compared once after a start of the machine or a change, and whenever that is asked for', async (t) => {
  const folder = await sealed(t, LARGE);
  assert.ok(wasCompared(folder));
  const file = join(folder, 'a.parquet');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  assert.ok(!wasCompared(folder), 'it was touched');
  assert.equal(await damagedFile(folder), undefined);
  DAMAGES.flipped!(file);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  assert.equal(await damagedFile(folder), undefined, 'as a disk that loses a bit: no size and no time tells');
  assert.equal(await damagedFile(folder, 'again'), 'a.parquet');
  assert.equal(readFileSync(join(folder, 'compared.txt'), 'utf8'), 'begun', 'whoever ends while it reads leaves that');
  assert.equal(await damagedFile(folder), 'a.parquet');
  writeFileSync(join(folder, 'compared.txt'), readFileSync(join(folder, 'sums.json')));
  assert.equal(await damagedFile(folder), 'a.parquet');
});

test('a file that is no longer needed may go', async (t) => {
  const folder = await sealed(t);
  removeSealed(folder, 'b.json');
  assert.equal(await damagedFile(folder), undefined);
  removeSealed(folder, 'b.json');
  assert.equal(await damagedFile(folder), undefined);
});
