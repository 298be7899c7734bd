/** Accounts of share records are found by what a dataset holds, whatever their number. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '../../pipeline/base/duckdb/database.js';
import { makeModuleAccounts } from '../../pipeline/publish/derived-tables.js';
import { account, chain } from '../classify/events.js';
import { openDatabase } from '../open-database.js';

const operator = account('validator', 'cosmosvaloper');
const record = chain.shareRecordAccount;
let database: Database;
before(async () => {
  database = await openDatabase();
  for (const table of ['opening_balances', 'coin_movements', 'share_rewards', 'validator_payouts']) {
    await database.create(table);
  }
  await database.create('chain_events', 'priced_events');
  const held = (denom: string) => ({ address: account('alice'), denom, amount: 5n });
  await database.append('opening_balances', [held('uatom'), held('ibc/59711'), held(`${operator}/59712`)]);
  const moved = { height: 3, place: 0, tx_hash: 'HASH' };
  await database.append('coin_movements', [{ ...held(`${operator}/9007199254740993`), ...moved }]);
});
after(() => database.close());

async function moduleAccounts(further?: string): Promise<Set<string>> {
  await makeModuleAccounts(database, chain, further === undefined ? {} : { further });
  const rows = await database.all<{ address: string }>('from module_accounts');
  return new Set(rows.map(({ address }) => address));
}

test('records of which anybody holds or moves tokens', async () => {
  const own = await moduleAccounts();
  assert.deepEqual(
    [...own].filter((address) => !chain.moduleAccounts.has(address)).sort(),
    [record('59712'), record('9007199254740993')].sort(),
  );
  assert.ok([...chain.moduleAccounts].every((address) => own.has(address)));
});

test('records that only withdraw: by their rewards in a night, by having no row once it is published', async () => {
  const place = { height: 3, place: 0, event: 1, time: '2026-01-01 00:00:00', validator: operator };
  await database.append('share_rewards', [{ ...place, delegator: record('12'), denom: 'uatom', amount: 1n }]);
  await database.execute('create view rewarded as select delegator from share_rewards');
  assert.ok((await moduleAccounts('tables/withdrawing_records')).has(record('12')));
  const payout = { validator: operator, day: '2026-01-01', category: 'staking_reward', denom: 'uatom', last_height: 3 };
  const paid = [record('12'), account('alice')].map((address) => ({
    ...payout,
    address,
    amount: 1n,
    usd: null,
    payouts: 1,
  }));
  await database.append('validator_payouts', paid);
  const published = await moduleAccounts('tables/published_records');
  assert.deepEqual([published.has(record('12')), published.has(account('alice'))], [true, false]);
});
