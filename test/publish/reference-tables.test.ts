/** The tables of reviewed data say what answers show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeReferenceTables } from '../../pipeline/publish/derived-tables.js';
import { loadReference } from '../../pipeline/reference.js';
import type { IndexedAsset, IndexedCategory } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';

const SHARE = 'cosmosvaloper1sjllsnramtg3ewxqwwrwjxfgc4n4ef9u2lcnj0/7';
const STRANGE = 'factory/cosmos1abc/moon';

async function made(): Promise<[IndexedAsset[], IndexedCategory[]]> {
  const database = await openDatabase();
  for (const table of ['opening_balances', 'prices']) {
    await database.create(table);
  }
  await database.execute('create table denoms as select unnest($met) as denom', { met: [STRANGE, 'uatom', SHARE] });
  await makeReferenceTables(database, loadReference());
  const all = async <Row>(table: string) => {
    const rows: Row[] = [];
    for await (const some of database.sorted<Row>(table)) rows.push(...some);
    return rows;
  };
  const tables: [IndexedAsset[], IndexedCategory[]] = [await all('assets'), await all('categories')];
  database.close();
  return tables;
}

test('denoms of the registry and those that were met are assets, as answers show them', async () => {
  const { assets, rules } = loadReference();
  const [rows] = await made();
  assert.equal(rows.length, assets.length + 2);
  for (const { denom, symbol, decimals } of rows) {
    const shown = rules.denomination(denom);
    assert.deepEqual([symbol, decimals], [shown.symbol, shown.decimals], denom);
  }
  const unknown = { registered: false, name: null, coingecko_id: null, trace: null };
  assert.deepEqual(
    rows.filter(({ registered }) => !registered),
    [
      { denom: SHARE, symbol: SHARE, decimals: 6, ...unknown },
      { denom: STRANGE, symbol: STRANGE, decimals: 0, ...unknown },
    ],
  );
});

test('categories carry their groups as a list', async () => {
  const { categories } = loadReference();
  const [, rows] = await made();
  assert.equal(rows.length, categories.length);
  for (const { category, groups, taxable } of rows) {
    const reviewed = categories.find((one) => one.category === category)!;
    assert.deepEqual([groups, taxable], [reviewed.groups, reviewed.taxable]);
  }
});
