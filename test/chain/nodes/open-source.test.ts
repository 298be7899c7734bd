import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { NodePool } from '../../../pipeline/chain/nodes/node-pool.js';
import { openSource, Recording } from '../../../pipeline/chain/nodes/open-source.js';
import { CHAIN_ID, recording, sampleDir, sampleLines, sampleUrl, temporaryFolder } from '../sample.js';

/** A recording with its blocks as given, name → bytes. */
function make(folder: string, files: Record<string, Buffer>): Recording {
  mkdirSync(join(folder, 'blocks'));
  copyFileSync(join(sampleDir, 'status.json'), join(folder, 'status.json'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, 'blocks', name), bytes);
  return new Recording(pathToFileURL(folder).href);
}

async function collect(source: Recording, from: number, to: number): Promise<{ heights: number[]; error?: string }> {
  const heights: number[] = [];
  try {
    for await (const { height } of source.records(from, to)) heights.push(height);
  } catch (error) {
    return { heights, error: (error as Error).message };
  }
  return { heights };
}

const lines = (from: number, to: number) => sampleLines.slice(from, to + 1).join('\n') + '\n';

test('the lines of the recording, word for word, across its files', async () => {
  const source = recording();
  assert.deepEqual(await source.status(), { chainId: CHAIN_ID, earliest: 1, latest: 1000 });
  let height = 499;
  for await (const record of source.records(499, 502)) {
    assert.deepEqual(record, { height, record: sampleLines[height] });
    height++;
  }
  assert.equal(height, 503);
});

test('unpacked files are read as well', async (context) => {
  const source = make(temporaryFolder(context), { '1-9.jsonl': Buffer.from(lines(1, 9)) });
  assert.deepEqual(await collect(source, 8, 9), { heights: [8, 9] });
});

test('a height that is not there is missing, by name', async (context) => {
  const hole = Buffer.from(lines(1, 4) + lines(6, 9));
  const source = make(temporaryFolder(context), { '1-9.jsonl': hole, '20-21.jsonl.gz': gzipSync(lines(20, 21)) });
  const missing = (height: number) => `block ${height}: the recording does not contain it`;
  assert.deepEqual(await collect(source, 3, 9), { heights: [3, 4], error: missing(5) });
  assert.deepEqual(await collect(source, 9, 20), { heights: [9], error: missing(10) });
  assert.deepEqual(await collect(source, 21, 22), { heights: [21], error: missing(22) });
});

test('of a file that was cut off, what is whole can be had', async (context) => {
  const folder = temporaryFolder(context);
  const source = make(folder, { '1-500.jsonl.gz': readFileSync(join(sampleDir, 'blocks/1-500.jsonl.gz')) });
  truncateSync(join(folder, 'blocks/1-500.jsonl.gz'), 100_000);
  const { heights, error } = await collect(source, 1, 500);
  assert.ok(heights.length > 10 && heights.length < 100);
  assert.equal(error, `block ${heights.length + 1}: the recording does not contain it`);
});

test('a file that is no gzip is named with the first height wanted', async (context) => {
  const source = make(temporaryFolder(context), { '1-9.jsonl.gz': Buffer.from('no gzip') });
  const { error } = await collect(source, 3, 9);
  assert.match(error!, /^block 3: .*1-9\.jsonl\.gz cannot be read: incorrect header check$/);
});

test('a folder that is no recording stops the start', async (context) => {
  const folder = temporaryFolder(context);
  const open = () => new Recording(pathToFileURL(folder).href);
  assert.throws(open, (error) => error instanceof ConfigError && /is not a recording of a chain/.test(error.message));
  mkdirSync(join(folder, 'blocks'));
  assert.throws(open, /contains no <from>-<to>\.jsonl\.gz/);
  writeFileSync(join(folder, 'blocks/1-1.jsonl'), lines(1, 1));
  await assert.rejects(open().status(), (error) => error instanceof ConfigError && /status\.json/.test(error.message));
});

test('one recording, or nodes in order of preference', () => {
  assert.ok(openSource([sampleUrl]) instanceof Recording);
  assert.ok(openSource(['http://127.0.0.1:1', 'https://node.example/path']) instanceof NodePool);
});
