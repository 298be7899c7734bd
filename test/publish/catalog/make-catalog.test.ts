/** The catalog of a generation: equal bytes, comments on everything, and the address of its files. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Database } from '../../../pipeline/base/duckdb/database.js';
import { ADDRESS_MAX, withAddress } from '../../../pipeline/publish/catalog/catalog-files.js';
import {
  type CatalogTable,
  makeCatalog,
  readyQueries,
  shortNames,
} from '../../../pipeline/publish/catalog/make-catalog.js';
import { CATALOG, readManifest } from '../../../pipeline/publish/generation.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';
import { FOLDED, NightCase } from '../../pipeline/night-case.js';

const chain = new NightCase(FOLDED);
let folder: string;
let manifest: Manifest;
let database: Database;
before(async () => {
  const { generation } = await chain.published('data');
  folder = chain.path('data/generations', generation);
  manifest = readManifest(folder);
  database = await openDatabase();
});
after(() => {
  database.close();
  chain.remove();
});

const attach = async (file: string, as: string) => database.execute(`attach '${file}' as ${as} (read_only)`);
const bytesOf = (name: string) => {
  mkdirSync(chain.path(name), { recursive: true });
  return join(chain.path(name), CATALOG);
};

test('the bytes follow from the tables, in any folder, and fit the manifest', async () => {
  const sealed = readFileSync(join(folder, CATALOG));
  assert.ok(sealed.length <= 200_000, `${sealed.length} bytes`);
  const restated: CatalogTable[] = manifest.tables.map((table) =>
    table.name === 'restatements'
      ? { ...table, rows: undefined, files: table.files.map(({ path }) => ({ path })) }
      : table,
  ) as CatalogTable[];
  const file = bytesOf('a/folder of its own');
  const entry = await makeCatalog(join(file, '..'), restated);
  assert.ok(readFileSync(file).equals(sealed));
  assert.deepEqual(entry, manifest.catalog);
});

test('a catalog of a large chain has at most 200 kB', async () => {
  const months = Array.from(
    { length: 120 },
    (_, i) => `${2020 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
  );
  const names = months.flatMap((month) =>
    Array.from({ length: 48 }, (_, i) => `${month}_${String(i + 1).padStart(2, '0')}`),
  );
  const tables = manifest.tables.map((table) => ({
    ...table,
    files: names.map((name) => ({ path: `${table.name}/${name}.parquet`, bytes: 1_000_000 })),
  }));
  const { bytes } = await makeCatalog(join(bytesOf('large'), '..'), tables);
  assert.ok(bytes <= 200_000, `${bytes} bytes`);
});

test('names of files become short, and the macro expands them', async () => {
  const cases: [names: string[], short: string][] = [
    [['all'], 'all'],
    [['2026-01_01', '2026-01_02', '2026-02', '2026-03_01', 'open'], '2026-01*2 2026-02 2026-03*1 open'],
    [['2026-01_02', '2026-01_03'], '2026-01_02 2026-01_03'],
    [['h9-0123456789ab', 'h10-0123456789ab'], 'h9-0123456789ab h10-0123456789ab'],
  ];
  await attach(join(folder, CATALOG), 'named');
  await database.execute("set variable hubledger_files = 'at/'; use named");
  for (const [names, short] of cases) {
    assert.equal(shortNames(names), short);
    const [row] = await database.all<{ paths: { items: string[] } }>(`select files('t', '${short}') as paths`);
    assert.deepEqual(
      row!.paths.items,
      names.map((name) => `at/t/${name}.parquet`),
    );
  }
  await database.execute('use memory; reset variable hubledger_files; detach named');
});

test('every table, ready query and macro is there, and each column has a comment', async () => {
  await attach(join(folder, CATALOG), 'told');
  const views = await database.all<{ view_name: string; comment: string | null }>(
    "select view_name, comment from duckdb_views() where database_name = 'told' and not internal order by 1",
  );
  const queries = readyQueries(manifest.tables).map(({ name }) => name);
  assert.equal(queries.length, 10);
  const expected = [...manifest.tables.map(({ name }) => name), ...queries].sort();
  assert.deepEqual(
    views.map(({ view_name }) => view_name),
    expected,
  );
  const columns = await database.all<Record<'table_name' | 'column_name' | 'comment', string>>(
    "select table_name, column_name, comment from duckdb_columns() where database_name = 'told' and not internal",
  );
  assert.deepEqual(
    columns.filter(({ comment }) => !comment),
    [],
  );
  const macros = await database.all<{ function_name: string; comment: string | null }>(
    "select function_name, comment from duckdb_functions() where database_name = 'told' and not internal",
  );
  assert.ok(
    ['staked_coins', 'value_usd', 'files'].every((name) => macros.some((macro) => macro.function_name === name)),
  );
  assert.deepEqual(
    [...views, ...macros].filter(({ comment }) => !comment),
    [],
  );
  const commentOf = (table: string, column: string) =>
    columns.find(({ table_name, column_name }) => table_name === table && column_name === column)!.comment;
  assert.equal(commentOf('priced_events', 'address'), 'Wallet of the row. Sort key 1 of 3.');
  assert.equal(
    commentOf('fees_by_month', 'symbol'),
    manifest.tables.find(({ name }) => name === 'assets')!.columns[1]!.description,
  );
  assert.equal(commentOf('fees_by_month', 'fees'), 'Base units paid.');
  assert.deepEqual(
    columns.filter(({ comment }) => comment.includes('TypeScript')),
    [],
  );
  assert.match(
    views.find(({ view_name }) => view_name === 'blocks')!.comment!,
    /\. \d+ rows, [\d,]+ bytes in 2 files\.$/,
  );
  await database.execute('detach told');
});

test('without an address an error names the variable, and with one every view has the rows of the manifest', async () => {
  await attach(join(folder, CATALOG), 'bare');
  await assert.rejects(database.all('from bare.blocks'), /set variable hubledger_files/);
  const file = join(chain.path('addressed.duckdb'));
  writeFileSync(file, withAddress(readFileSync(join(folder, CATALOG)), `${folder}/`));
  await attach(file, 'addressed');
  for (const { name, rows } of manifest.tables) {
    assert.deepEqual(await database.all(`select count(*) as rows from addressed.${name}`), [{ rows }], name);
  }
  for (const { name } of readyQueries(manifest.tables)) await database.all(`from addressed.${name}`);
  await database.execute('detach bare; detach addressed');
});

test('an address of any length fits, and leaves no rest of another one', async () => {
  const sealed = readFileSync(join(folder, CATALOG));
  for (const address of ['https://a.example/', `https://${'b'.repeat(ADDRESS_MAX - 9)}/`, 'x/']) {
    const file = chain.path('other.duckdb');
    writeFileSync(file, withAddress(withAddress(sealed, `${'c'.repeat(99)}/`), address));
    await attach(file, 'other');
    assert.deepEqual(await database.all('select other.files_address() as address'), [{ address }]);
    await database.execute('detach other');
    rmSync(file);
  }
  assert.ok(withAddress(withAddress(sealed, 'https://a.example/'), '').equals(sealed));
  assert.throws(() => withAddress(sealed, 'd'.repeat(ADDRESS_MAX + 1)), RangeError);
  assert.throws(() => withAddress(Buffer.alloc(50_000), 'x/'), RangeError);
});

test('values in US dollars are rounded half up to the cent', async () => {
  await attach(join(folder, CATALOG), 'valued');
  const value = async (amount: string, decimals: number, price: string) =>
    (
      await database.all<{ value: string }>(
        `select valued.value_usd(${amount}::decimal(38, 0), ${decimals}, ${price}::decimal(38, 6))::varchar as value`,
      )
    )[0]!.value;
  assert.equal(await value('1000000', 6, '4.125'), '4.13');
  assert.equal(await value('1000000', 6, '4.124999'), '4.12');
  assert.equal(await value('123456789012345678901234567', 18, '0.000001'), '123.46');
  assert.equal(await value('7', 0, '0.5'), '3.50');
  assert.equal(await value('5', 6, 'null'), null);
  await database.execute('detach valued');
});
