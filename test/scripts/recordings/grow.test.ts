/** A grown recording: a night accepts it, and its copies say the same about other wallets, blocks and days. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import type { Outcome } from '../../../pipeline/run-night.js';
import { growRecording } from '../../../scripts/recordings/grow.js';
import { openDatabase } from '../../open-database.js';
import { NightCase, treeHashes } from '../../pipeline/night-case.js';

/** Begins after the genesis, has three proposals, and ends with a block that changes the validator set. */
const CUT = { from: 31, first: 31, last: 229, firstDay: '2026-01-04', genesis: false };

const chain = new NightCase(CUT);
const options = { times: 3, priceDir: join(projectRoot(), 'data/sample/prices') };
let facts: Awaited<ReturnType<typeof growRecording>>;
let night: Outcome;
before(async () => {
  facts = await growRecording(chain.recording, chain.path('grown'), options);
  chain.variables = {
    HUBLEDGER_RPC_URLS: pathToFileURL(chain.path('grown')).href,
    HUBLEDGER_PRICE_DIR: chain.path('grown/prices'),
    HUBLEDGER_NOW: '9000-01-01T00:00:00Z',
  };
  night = await chain.night('data');
});
after(() => chain.remove());

type Row = Readonly<Record<string, string | null>>;

/** Reads the rows of a copy as texts, with heights and times of the first copy. */
async function rowsOf(copy: number): Promise<Row[]> {
  const database = await openDatabase();
  const files = chain.path('data', 'generations', night.generation, 'priced_events/*.parquet');
  const [from, days] = [copy * facts.blocks, copy * facts.days];
  const rows = await database.all<Row>(`
    select columns(*)::varchar
    from (
      select * replace (height - ${from} as height, time - interval ${days} day as time, split_part(id, '-', 1)::int - ${from}
        || substr(id, instr(id, '-')) as id)
      from '${files}'
      where height between ${from + facts.first} and ${from + facts.last}
    ) as rows
    order by rows.height, rows.position`);
  database.close();
  return rows;
}

const ADDRESS = /cosmos1[02-9ac-hj-np-z]{38,58}/g;

/** Maps the addresses of the first copy to those of another. */
function pairAddresses(one: readonly Row[], other: readonly Row[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const [i, row] of one.entries()) {
    const [mine, theirs] = [row, other[i]!].map((each) => Object.values(each).join('\n').match(ADDRESS) ?? []);
    for (const [j, address] of mine!.entries()) {
      assert.equal(theirs![j], pairs.get(address) ?? theirs![j], `${address} always gets the same name`);
      pairs.set(address, theirs![j]!);
    }
  }
  assert.equal(new Set(pairs.values()).size, pairs.size, 'no two addresses get the same name');
  return pairs;
}

/** Removes hashes of transactions and addresses on other chains. */
const comparable = (row: Row): Row => ({
  ...row,
  tx_hash: row.tx_hash!.startsWith('block:') ? row.tx_hash! : null,
  counterparty: row.counterparty?.replace(/^osmo1.*/, 'elsewhere') ?? null,
});

/** Returns the row of another copy that the first copy's row leads to. */
function expectedRow(row: Row, copy: number, pairs: ReadonlyMap<string, string>): Row {
  const shift = (by: number) => (_: string, before: string, number: string) => before + (Number(number) + copy * by);
  const { tx_hash, link, ...rest } = comparable(row);
  const place = { tx_hash: tx_hash?.replace(/^(block:)(\d+)/, shift(facts.blocks)) ?? null };
  const linked = { link: link?.replace(/^()(\d+)(?=-)/, shift(facts.blocks)) ?? null };
  const cells = Object.entries({ ...rest, ...place, ...linked }).map(([column, text]) => [
    column,
    text?.replace(ADDRESS, (address) => pairs.get(address)!).replace(/(proposal[ -])(\d+)/, shift(facts.proposals)) ??
      null,
  ]);
  return Object.fromEntries(cells);
}

test('rows of each copy are those of the first but for addresses, heights, hashes and proposals', async () => {
  assert.equal(night.height, facts.first + 3 * facts.blocks - 1);
  const one = await rowsOf(0);
  const categories = new Set(one.map(({ category }) => category));
  for (const category of ['gov_refund', 'ibc_in', 'staking_reward']) assert.ok(categories.has(category), category);
  for (const copy of [1, 2]) {
    const other = await rowsOf(copy);
    const pairs = pairAddresses(one, other);
    assert.equal(other.length, one.length);
    for (const [i, row] of one.entries()) assert.deepEqual(comparable(other[i]!), expectedRow(row, copy, pairs));
    const kept = [...pairs].filter(([before, now]) => before === now);
    assert.ok(kept.length > 0 && kept.length * 2 < pairs.size, 'operators and modules keep their addresses');
    const hashes = (rows: readonly Row[]) =>
      new Set(rows.map(({ tx_hash }) => tx_hash!).filter((hash) => !hash.includes(':')));
    assert.equal(hashes([...one, ...other]).size, 2 * hashes(one).size);
  }
});

test('no later copy contains a wallet of the first, in any encoding', async () => {
  const pairs = pairAddresses(await rowsOf(0), await rowsOf(1));
  const renamed = [...pairs].filter(([before, now]) => before !== now).map(([before]) => before);
  const text = recordedText(facts.first + facts.blocks);
  for (const address of renamed) {
    assert.ok(!text.includes(address), address);
    assert.ok(!text.includes(Buffer.from(address).toString('hex')), `${address} in hex`);
  }
});

/** Returns the records from a height on, with their transactions decoded. */
function recordedText(from: number): string {
  const folder = chain.path('grown/blocks');
  const lines = readdirSync(folder).flatMap((file) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .trimEnd()
      .split('\n'),
  );
  const records = lines.map((line) => JSON.parse(line)).filter(({ height }) => height >= from);
  const transactions = records
    .flatMap(({ block }) => block.block.data.txs ?? [])
    .map((one) => Buffer.from(one, 'base64').toString('latin1'));
  return [...records.map((record) => JSON.stringify(record)), ...transactions].join('\n');
}

test('equal input gives equal files', async () => {
  await growRecording(chain.recording, chain.path('again'), options);
  assert.deepEqual(treeHashes(chain.path('again')), treeHashes(chain.path('grown')));
});

test('a recording is not written over another', async () => {
  await assert.rejects(growRecording(chain.recording, chain.path('grown'), options), ConfigError);
});
