import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { readManifest } from '../../pipeline/publish/generation.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { openDatabase } from '../open-database.js';
import { CUT, NightCase, treeHashes } from './night-case.js';

const chain = new NightCase();
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

const generationOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);
const current = (dataDir: string) => readFileSync(chain.path(dataDir, 'CURRENT'), 'utf8').trim();

/** Tables that are not cut by months. */
const WHOLE = [
  'assets',
  'categories',
  'exchange_rates',
  'prices',
  'validators',
  'closing_positions',
  'denom_metadata',
  'flagged_receipts',
  'restatements',
];
/** Tables that are empty here: nothing was renamed or restated. */
const EMPTY = ['denom_metadata', 'restatements'];

test('a night publishes what its manifest says', async () => {
  const folder = generationOf('whole', whole);
  const manifest = readManifest(folder);
  assert.equal(current('whole'), whole.generation);
  assert.match(whole.generation, new RegExp(`^h${CUT.last}-[0-9a-f]{12}$`));
  const schemas = new Ajv2020({ strict: false });
  formats.default(schemas);
  const readSchema = (path: string) => JSON.parse(readFileSync(join(projectRoot(), 'schemas', path), 'utf8'));
  for (const name of ['reference/corrections', 'reference/state-change', 'starting-difference']) {
    schemas.addSchema(readSchema(`${name}.json`));
  }
  const schema = readSchema('manifest.json');
  assert.ok(schemas.validate(schema, manifest), JSON.stringify(schemas.errors));
  const heights = { first_height: CUT.first, last_height: CUT.last };
  assert.deepEqual(manifest.coverage, { ...heights, starting_height: null, missing: [] });
  assert.equal(manifest.index_start, CUT.firstDay);
  const hashes = treeHashes(folder);
  for (const { name, rows, files } of manifest.tables) {
    const whole = [`${name}/all.parquet`, ...(name === 'prices' ? ['prices/missing.parquet'] : [])];
    const expected = WHOLE.includes(name) ? whole : months(name);
    assert.deepEqual(
      files.map(({ path }) => path),
      expected,
    );
    for (const { path, sha256 } of files) assert.equal(hashes[path], sha256);
    assert.equal(
      files.reduce((sum, file) => sum + file.rows, 0),
      rows,
    );
    assert.equal(rows > 0, !EMPTY.includes(name), name);
  }
  assert.equal(hashes['catalog.duckdb'], manifest.catalog!.sha256);
  assert.equal(Object.keys(hashes).length, 2 + manifest.tables.flatMap(({ files }) => files).length);
});

const months = (table: string) => [`${table}/2026-02.parquet`, `${table}/2026-03.parquet`];

test('a month file holds the rows of its month, sorted as the manifest says', async () => {
  const folder = generationOf('whole', whole);
  const database = await openDatabase();
  for (const month of ['2026-02', '2026-03']) {
    const file = join(folder, `priced_events/${month}.parquet`);
    const [span] = await database.all<{ first: string; last: string }>(
      "select strftime(min(time), '%Y-%m') as first, strftime(max(time), '%Y-%m') as last from read_parquet($file)",
      { file },
    );
    assert.deepEqual(span, { first: month, last: month });
    const rows = await database.all<{ address: string; height: number; position: number }>(
      'select address, height, position from read_parquet($file)',
      { file },
    );
    const inOrder = rows.every((row, i) => {
      const last = rows[i - 1];
      if (!last || last.address < row.address) return true;
      return last.address === row.address && (last.height < row.height || last.position < row.position);
    });
    assert.ok(inOrder);
  }
  database.close();
});

test('a second night has nothing new and touches no file', async () => {
  const times = () =>
    readdirSync(generationOf('whole', whole)).map((f) => statSync(join(generationOf('whole', whole), f)).mtimeMs);
  const before = times();
  const again = await chain.night('whole');
  assert.deepEqual([again.generation, again.isNew], [whole.generation, false]);
  assert.deepEqual(times(), before);
  assert.deepEqual(readdirSync(chain.path('whole', 'generations')), [whole.generation]);
  assert.equal(
    readdirSync(chain.path('whole', 'stores'))
      .filter((name) => !name.startsWith('base-'))
      .join(),
    whole.generation,
  );
  assert.equal(readdirSync(chain.path('whole', 'stores')).length, 2);
});

test('a block that does not fit stops the night in one line, and the dataset stays', async () => {
  const broken = new NightCase();
  try {
    const before = await broken.night('data', { until: 490 });
    broken.record(broken.lines().map((line, i) => (i === 495 - CUT.from ? line.slice(0, 500) : line)));
    await assert.rejects(
      () => broken.night('data'),
      (error) => error instanceof BlockError && error.height === 495,
    );
    const { code, error } = await broken.command('data', 'nightly');
    assert.equal(code, 1);
    assert.match(error, /^hubledger: block 495 [^\n]+\n$/);
    assert.equal(readFileSync(broken.path('data', 'CURRENT'), 'utf8').trim(), before.generation);
  } finally {
    broken.remove();
  }
});

test('an index that begins after the last block is refused', async () => {
  await assert.rejects(() => chain.night('none', { from: CUT.last + 1 }), ConfigError);
});
