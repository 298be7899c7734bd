/** Raw blocks on a disk that lost some bytes, and files of earlier versions. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Database } from '../../pipeline/base/duckdb/database.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { listRanges, rawFolder, settingAside } from '../../pipeline/chain/raw-files.js';
import { readBlocks } from '../../pipeline/chain/read-blocks.js';
import { CHAIN_ID, index, rawFiles, sampleLines, temporaryFolder } from './sample.js';

const LAST = 20;
const WHOLE = '0000000002-0000000020.parquet';

async function stored(context: TestContext) {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { until: LAST });
  const database = await Database.open(join(dataDir, 'spill'));
  context.after(() => database.close());
  const folder = rawFolder(dataDir, CHAIN_ID);
  return { dataDir, database, folder, file: join(folder, WHOLE), before: rawFiles(dataDir) };
}

/** Changes what the stored rows say, and nothing else: as a flipped bit does that no decompression notices. */
async function rewrite(database: Database, file: string, query: string): Promise<void> {
  await database.attach('raw_blocks', [file], 'stored');
  await database.execute(`create or replace table rewritten as ${query}`);
  await database.keep('rewritten', file);
}

test('a stored record has no signatures of the block before, and every other word of the node', async (context) => {
  const { database, file } = await stored(context);
  await database.attach('raw_blocks', [file], 'stored');
  const rows = await database.all<{ height: number; record: string }>('select height, record from stored');
  assert.equal(rows.length, LAST - 1);
  for (const { height, record } of rows) {
    const expected = JSON.parse(sampleLines[height]!);
    delete expected.block.block.last_commit;
    assert.deepEqual(JSON.parse(record), expected);
    assert.ok(sampleLines[height]!.startsWith(record.slice(0, 400)), 'in its own words');
  }
});

test('a file that is cut off is told, set aside and fetched again in the same night', async (context) => {
  const { dataDir, file, folder, before } = await stored(context);
  truncateSync(file, 1000);
  const damaged: string[] = [];
  await index(dataDir, { until: LAST, onDamaged: (path) => damaged.push(path) });
  assert.deepEqual(damaged, [file]);
  assert.deepEqual(readdirSync(folder).sort(), [WHOLE, `${WHOLE}.damaged`]);
  assert.equal(rawFiles(dataDir)[WHOLE], before[WHOLE]);
});

test('a block that is not as it was stored ends the night in one line, and the next one fetches it', async (context) => {
  const { dataDir, database, file, folder, before } = await stored(context);
  const query = `select height, time, hash, checksum,
    if(height = 7, replace(record, 'uatom', 'uatoM'), record) as record from stored`;
  await rewrite(database, file, query);
  const read = async () => {
    for await (const _ of settingAside(folder, readBlocks(database, listRanges(folder)[0]!)));
  };
  await assert.rejects(
    read,
    (error) =>
      error instanceof BlockError &&
      error.message ===
        `block 7: ${WHOLE} is damaged: it is set aside, and the next nightly run fetches its blocks again`,
  );
  assert.deepEqual(readdirSync(folder), [`${WHOLE}.damaged`]);
  await index(dataDir, { until: LAST });
  assert.equal(rawFiles(dataDir)[WHOLE], before[WHOLE]);
});

test('any flipped byte is found: no block comes back other than it was stored', async (context) => {
  const { database, file, folder } = await stored(context);
  const [range] = listRanges(folder);
  const read = async () => {
    const blocks = [];
    for await (const block of readBlocks(database, range!)) blocks.push(JSON.stringify(block.events));
    return blocks;
  };
  const [expected, bytes] = [await read(), readFileSync(file)];
  let found = 0;
  for (let i = 0; i < 40; i++) {
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(((i + 0.5) / 40) * bytes.length)]! ^= 0xff;
    writeFileSync(file, flipped);
    try {
      assert.deepEqual(await read(), expected);
    } catch (error) {
      assert.ok(error instanceof BlockError, String(error));
      found++;
    }
  }
  assert.ok(found > 30, `${found} of 40`);
});

test('files of an earlier version are read, extended and kept: whole records, no checksums', async (context) => {
  const { dataDir, database, file, folder, before } = await stored(context);
  const rows = sampleLines.slice(2, LAST + 1).map((record, i) => ({ height: i + 2, record }));
  await database.execute('create table lines (height bigint, record varchar)');
  const values = rows.map(({ height, record }) => `(${height}, '${record.replaceAll("'", "''")}')`);
  await database.execute(`insert into lines values ${values.join(', ')}`);
  const old = 'select height, time, hash, lines.record from stored join lines using (height) order by height';
  await rewrite(database, file, old);
  assert.deepEqual(await index(dataDir, { until: LAST }), { from: 2, first: 2, last: LAST, added: 0 });
  assert.notEqual(rawFiles(dataDir)[WHOLE], before[WHOLE]);
  assert.equal((await index(dataDir, { until: 30 })).added, 10);
  const heights: number[] = [];
  for await (const { height } of readBlocks(database, listRanges(folder)[0]!)) heights.push(height);
  assert.deepEqual(
    heights,
    Array.from({ length: 29 }, (_, i) => i + 2),
  );
});
