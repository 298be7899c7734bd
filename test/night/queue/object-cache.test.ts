/** Copies of objects that a worker keeps. */
import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fileSha256 } from '../../../pipeline/base/disk/atomic-files.js';
import { ObjectCache } from '../../../pipeline/night/queue/object-cache.js';
import { DatasetStore } from '../../../pipeline/publish/store/dataset-store.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-cache-'));
after(() => rmSync(root, { recursive: true }));

/** Makes a store with objects of 100 bytes, and a cache of it. */
async function cacheOf(name: string, maxBytes: number) {
  const folder = join(root, name);
  mkdirSync(join(folder, 'store'), { recursive: true });
  const url = pathToFileURL(join(folder, 'store')).href;
  const store = await DatasetStore.open(url, undefined, { forMs: 1000, say() {} });
  const put = async (letter: string) => {
    const path = join(folder, letter);
    writeFileSync(path, letter.repeat(100));
    return store.putObject(path);
  };
  const hashes = await Promise.all([...'abcd'].map(put));
  const copies = () => readdirSync(join(folder, 'objects')).sort();
  return { folder, hashes, copies, cache: new ObjectCache(store, folder, maxBytes) };
}

test('it stays within its bound, and removes the least recently used copies', async () => {
  const { folder, hashes, copies, cache } = await cacheOf('bound', 250);
  const [a, b, c] = hashes as [string, string, string];
  await cache.place(a, join(folder, 'place/a1'));
  await cache.place(b, join(folder, 'place/b1'));
  for (const [i, hash] of [a, b].entries()) {
    const old = new Date(2026, 0, 1 + i);
    utimesSync(join(folder, 'objects', hash), old, old);
  }
  await cache.place(a, join(folder, 'place/a2')); // now b is the oldest
  await cache.place(c, join(folder, 'place/c1'));
  assert.deepEqual(copies(), [a, c].sort());
  assert.equal(readFileSync(join(folder, 'place/b1'), 'utf8'), 'b'.repeat(100), 'a job keeps its input');
});

test('a damaged copy is replaced before a job reads it', async () => {
  const { folder, hashes, cache } = await cacheOf('damaged', 1000);
  const [a] = hashes as [string];
  await cache.place(a, join(folder, 'place/1'));
  rmSync(join(folder, 'objects', a));
  writeFileSync(join(folder, 'objects', a), 'x'.repeat(100));
  await cache.place(a, join(folder, 'place/2'));
  assert.equal(readFileSync(join(folder, 'place/2'), 'utf8'), 'a'.repeat(100));
  assert.equal(readFileSync(join(folder, 'objects', a), 'utf8'), 'a'.repeat(100));
});

test('a copy that is a symbolic link is fetched again', async () => {
  const { folder, hashes, cache } = await cacheOf('link', 1000);
  const [a] = hashes as [string];
  symlinkSync(join(folder, 'a'), join(folder, 'objects', a));
  await cache.place(a, join(folder, 'place/1'));
  for (const copy of ['place/1', `objects/${a}`]) {
    assert.ok(lstatSync(join(folder, copy)).isFile(), copy);
    assert.equal(readFileSync(join(folder, copy), 'utf8'), 'a'.repeat(100));
  }
});

test('a file that the coordinator adds is not read from the store', async () => {
  const { folder, cache } = await cacheOf('added', 1000);
  const path = join(folder, 'own');
  writeFileSync(path, 'own');
  const hash = await fileSha256(path); // the store lacks it
  cache.add(hash, path);
  await cache.place(hash, join(folder, 'place/own'));
  assert.equal(readFileSync(join(folder, 'place/own'), 'utf8'), 'own');
});
