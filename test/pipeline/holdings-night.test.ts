/** Nights with a starting state: blocks from the genesis on are folded, the index begins later. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ConfigError } from '../../pipeline/base/config-error.js';
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import type { Outcome } from '../../pipeline/run-night.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from './night-case.js';

const chain = new NightCase(FOLDED);
let whole: Outcome;
before(async () => {
  whole = await chain.published('whole');
});
after(() => chain.remove());

const folderOf = (dataDir: string, { generation }: Outcome) => chain.path(dataDir, 'generations', generation);

async function tablesOf(dataDir: string, outcome: Outcome): Promise<Database> {
  const folder = folderOf(dataDir, outcome);
  const manifest = readManifest(folder);
  const database = await openDatabase();
  for (const { name } of manifest.tables) await database.attach(name, tableFiles(folder, manifest, name));
  return database;
}

test('the index begins at its day, with the balances and stakes of that moment', async () => {
  const { coverage, index_start } = readManifest(folderOf('whole', whole));
  assert.deepEqual(coverage, {
    first_height: FOLDED.first,
    last_height: FOLDED.last,
    starting_height: 0,
    missing: [],
  });
  assert.equal(index_start, FOLDED.firstDay);
  const database = await tablesOf('whole', whole);
  const [least] = await database.all<Record<string, number>>(
    `select
      (select min(height) from priced_events) as events,
      (select min(height) from coin_movements) as movements,
      (select min(close_height) from validator_days) as closes,
      (select min(to_height) from delegation_intervals) as intervals`,
  );
  assert.deepEqual([least!.events, least!.movements], [FOLDED.first, FOLDED.first]);
  assert.ok(least!.closes! > FOLDED.first && least!.intervals! > FOLDED.first);
  database.close();
});

test('names that tokens took before the index are known in it', async () => {
  const database = await tablesOf('whole', whole);
  const named = await database.all<{ height: number; symbol: string }>(
    "select height::integer as height, symbol from denom_metadata where denom like '%/uatom'",
  );
  database.close();
  assert.deepEqual(named, [{ height: 52, symbol: 'ATOM' }]);
});

/** The chain's own words on wallets at the close of days. */
interface Day {
  readonly day: string;
  readonly address: string;
  readonly liquid_uatom: string;
  readonly staked_uatom: string;
  readonly unbonding_uatom: string;
}

test('the holdings at both ends are those that the node said', async () => {
  const text = gunzipSync(readFileSync(`${projectRoot()}/test/holdings/hub-short/state/daily.jsonl.gz`)).toString();
  const said: Day[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const before = said.filter(({ day }) => day === '2026-01-29');
  assert.ok(before.length > 0);
  const database = await tablesOf('whole', whole);
  const rows = await database.all<Record<string, string>>(
    "select address, liquid::varchar as liquid, staked::varchar as staked, unbonding::varchar as unbonding from native_holdings where moment = 'opening'",
  );
  const opening = new Map(rows.map((row) => [row.address, row]));
  for (const { address, liquid_uatom, staked_uatom, unbonding_uatom } of before) {
    const { liquid, staked, unbonding } = opening.get(address)!;
    assert.deepEqual([liquid, staked, unbonding], [liquid_uatom, staked_uatom, unbonding_uatom], address);
  }
  database.close();
});

test('the holdings of every recorded wallet and day are those that the node said', async () => {
  const database = await tablesOf('whole', whole);
  await database.execute(
    'create table said (day date, address varchar, liquid varchar, staked varchar, unbonding varchar)',
  );
  const text = gunzipSync(readFileSync(`${projectRoot()}/test/holdings/hub-short/state/daily.jsonl.gz`)).toString();
  const days: (Day & { height: number })[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const inIndex = days.filter(({ height, day }) => height <= FOLDED.last && day >= FOLDED.firstDay);
  for (const { day, address, liquid_uatom, staked_uatom, unbonding_uatom } of inIndex) {
    const parameters = { day, address, liquid_uatom, staked_uatom, unbonding_uatom };
    await database.execute(
      'insert into said values ($day::date, $address, $liquid_uatom, $staked_uatom, $unbonding_uatom)',
      parameters,
    );
  }
  const wrong = await database.all(
    `select said.address, said.day::varchar as day, said.staked, daily.staked::varchar as published
     from said asof left join daily_holdings as daily on daily.address = said.address and daily.day <= said.day
     where (said.liquid, said.staked, said.unbonding)
       <> (coalesce(daily.liquid, 0)::varchar, coalesce(daily.staked, 0)::varchar, coalesce(daily.unbonding, 0)::varchar)`,
  );
  assert.deepEqual(wrong, []);
  assert.ok(inIndex.length > 300);
  database.close();
});

test('slashes and burned deposits stand where they happened, and every position once', async () => {
  const database = await tablesOf('whole', whole);
  const added = await database.all<{ category: string; height: number; rows: number }>(
    "select category, height, count(*) as rows from priced_events where category in ('slash', 'gov_deposit_burned') group by all order by height",
  );
  assert.deepEqual(added, [
    { category: 'gov_deposit_burned', height: 285, rows: 2 },
    { category: 'slash', height: 381, rows: 146 },
  ]);
  // Validators are slashed before any transaction, and proposals end after all of them.
  const places = await database.all<{ height: number; others: number }>(
    `select own.height, count(*) filter (own.category = 'slash' and other.position < own.position
       or own.category = 'gov_deposit_burned' and other.position > own.position) as others
     from priced_events as own join priced_events as other using (height)
     where own.category in ('slash', 'gov_deposit_burned') and other.tx_hash not like 'block:%'
     group by own.height order by own.height`,
  );
  assert.deepEqual(
    places.map(({ others }) => others),
    places.map(() => 0),
  );
  const [burned] = await database.all<{ counterparty: string; link: string }>(
    "select distinct counterparty, link from priced_events where category = 'gov_deposit_burned'",
  );
  assert.deepEqual(burned, { counterparty: 'cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn', link: 'proposal-4' });
  database.close();
});

test('shares have the price of the coin times what they redeem', async () => {
  const database = await tablesOf('whole', whole);
  const wrong = await database.all(
    `select shares.denom, shares.day::varchar as day
     from prices as shares
     join prices as coin on coin.denom = 'uatom' and coin.day = shares.day
     asof join validator_days as rate on rate.validator = split_part(shares.denom, '/', 1) and rate.day <= shares.day
     where contains(shares.denom, 'valoper1')
       and abs(shares.usd - coin.usd::double * (rate.tokens::double / rate.shares::double)) > 0.000001`,
  );
  assert.deepEqual(wrong, []);
  const [{ shares } = { shares: 0 }] = await database.all<{ shares: number }>(
    "select count(distinct denom) as shares from prices where contains(denom, 'valoper1')",
  );
  assert.ok(shares >= 6);
  database.close();
});

test('a starting state that does not fit is refused in one line', async () => {
  const genesis = JSON.parse(gunzipSync(readFileSync(`${projectRoot()}/data/sample/genesis.json.gz`)).toString());
  const path = chain.path('other.json.gz');
  const refuses = async (start: string, message: RegExp) => {
    chain.variables = { HUBLEDGER_GENESIS: start };
    await assert.rejects(
      () => chain.night('refused'),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
    chain.variables = {};
  };
  writeFileSync(path, gzipSync(JSON.stringify({ ...genesis, chain_id: 'other-1' })));
  await refuses(path, /^HUBLEDGER_GENESIS: the starting state belongs to other-1, not to localhub-1$/);
  writeFileSync(path, gzipSync(JSON.stringify({ ...genesis, initial_height: 'one' })));
  await refuses(path, /^HUBLEDGER_GENESIS: .*initial_height/);
  await refuses(chain.path('nowhere.json'), /^HUBLEDGER_GENESIS cannot be read: ENOENT/);
  await assert.rejects(() => chain.night('refused', { from: 0 }), ConfigError);
});

test('an index that is to begin within a day, where the starting state is older, is refused in one line', async () => {
  await assert.rejects(
    () => chain.night('within', { from: FOLDED.first + 1, until: FOLDED.first + 9 }),
    (error) =>
      error instanceof ConfigError &&
      error.message ===
        'the index cannot begin at 246, within 2026-01-30: stakes are known only at the end of a day, ' +
          'or in a starting state of height 245 (HUBLEDGER_GENESIS)',
  );
});
