/** The published files as whoever queries them finds them: by docs/datasets.md, and in types that hold books. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { termOf } from '../../pipeline/books/ledger/slices.js';
import { readManifest } from '../../pipeline/publish/generation.js';
import type { Manifest, PricedEvent } from '../../schemas/types.generated.js';
import { readSample } from '../holdings/recording.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from './night-case.js';

const chain = new NightCase(FOLDED);
let folder: string;
let manifest: Manifest;
let database: Database;
before(async () => {
  const { generation } = await chain.night('data');
  folder = chain.path('data/generations', generation);
  manifest = readManifest(folder);
  database = await openDatabase();
  await database.execute(`set file_search_path = '${folder}'`); // as if the examples ran in that folder
});
after(() => {
  database.close();
  chain.remove();
});

const page = readFileSync(join(projectRoot(), 'docs/datasets.md'), 'utf8');

/** Each SQL of the page with the title of its section. */
const examples: { table: string; sql: string }[] = [];
for (const section of page.split(/^### /m).slice(1)) {
  const table = section.slice(0, section.indexOf('\n'));
  for (const [, sql] of section.matchAll(/^```sql\n(.*?)^```$/gms)) examples.push({ table, sql: sql! });
}

test('the page has an example for each published table, and no other', () => {
  const tables = manifest.tables.map(({ name }) => name);
  assert.deepEqual([...new Set(examples.map(({ table }) => table))].sort(), tables.sort());
});

test('every example runs, and finds rows where its table has some', async () => {
  for (const { table, sql } of examples) {
    const parts = sql.split(/;\n/);
    const query = parts.pop()!;
    for (const part of parts) await database.execute(part);
    assert.match(query, new RegExp(`'?\\b${table}/`), `the example of ${table} reads it`);
    const rows = await database.all(query);
    const { rows: published } = manifest.tables.find(({ name }) => name === table)!;
    assert.equal(rows.length > 0, published > 0, table);
  }
});

test('the macros of the page are those that daily_holdings is made with', () => {
  const macros = readFileSync(join(projectRoot(), 'pipeline/tables/staked_coins.sql'), 'utf8').replace(/^--.*\n/gm, '');
  assert.ok(page.includes(macros));
});

test('the example of holding periods tells them as the books do, over leap years too', async () => {
  const [, isLong] = /^ {2}(\(time .*) as long,$/m.exec(page) ?? [];
  const days = (from: string, to: string) =>
    `(select unnest(range(date '${from}', date '${to}', interval 1 day))::date)`;
  const rows = await database.all<{ acquired: string; sold: string; long: boolean }>(`
    select slice.acquired::varchar as acquired, strftime(time at time zone 'UTC', '%Y-%m-%d') as sold, ${isLong!} as long
    from ${days('2023-02-25', '2024-03-05')} as lots(acquired), ${days('2024-02-20', '2025-03-10')} as sales(day),
      lateral (select {acquired: lots.acquired} as slice, (day::timestamp + interval 1 hour) at time zone 'UTC' as time)
    where day >= lots.acquired`);
  assert.ok(rows.length > 100_000);
  const wrong = rows.filter(({ acquired, sold, long }) => long !== (termOf(acquired, sold) === 'LONG'));
  assert.deepEqual(wrong.slice(0, 5), []);
});

test('rows of IBC transfers and refunds have the channel and sequence of their packet', async () => {
  const SIDES = { ibc_in: ['recv_packet', 'dst'], ibc_out: ['send_packet', 'src'] } as const;
  const refunds = ['acknowledge_packet', 'timeout_packet'].map((type) => [type, 'src'] as const);
  const packets = new Set<string>();
  for (const { transactions } of await readSample()) {
    for (const { hash, events } of transactions) {
      for (const { type, attributes } of events) {
        const text = (key: string) => attributes.find((attribute) => attribute.key === key)?.value;
        for (const [side, end] of [...Object.values(SIDES), ...refunds]) {
          if (type === side) packets.add(`${hash} ${type} ${text(`packet_${end}_channel`)} ${text('packet_sequence')}`);
        }
      }
    }
  }
  const rows = await database.all<Pick<PricedEvent, 'category' | 'tx_hash' | 'channel' | 'sequence'>>(
    "select category, tx_hash, channel, sequence from 'priced_events/*.parquet' where category like 'ibc%'",
  );
  const seen = new Set<string>();
  for (const { category, tx_hash, channel, sequence } of rows) {
    const types = category === 'ibc_refund' ? refunds.map(([type]) => type) : [SIDES[category as 'ibc_in'][0]];
    assert.ok(
      types.some((type) => packets.has(`${tx_hash} ${type} ${channel} ${sequence}`)),
      `${category} ${tx_hash}`,
    );
    seen.add(category);
  }
  assert.deepEqual([...seen].sort(), ['ibc_in', 'ibc_out', 'ibc_refund']);
});

test('files have the types that the manifest says: times with zone, decimals, and never a double', async () => {
  for (const { name, columns, files } of manifest.tables) {
    for (const { path } of files) {
      const found = await database.all<{ name: string; type: string }>(
        `select column_name as name, column_type as type from (describe from '${path}')`,
      );
      assert.deepEqual(
        found.map(({ type }) => type),
        columns.map(({ type }) => type),
        path,
      );
      assert.deepEqual(
        found.filter(({ type }) => /DOUBLE|FLOAT|^TIMESTAMP$/.test(type)),
        [],
        name,
      );
      const [{ unadjusted } = { unadjusted: -1 }] = await database.all<{ unadjusted: number }>(
        `select count(*) as unadjusted from parquet_schema('${path}')
         where contains(logical_type, 'Timestamp') and not regexp_matches(logical_type, 'isAdjustedToUTC=(1|true)')`,
      );
      assert.equal(unadjusted, 0, path);
    }
  }
});
