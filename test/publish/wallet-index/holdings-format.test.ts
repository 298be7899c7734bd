import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readLines } from '../../../pipeline/base/disk/lines.js';
import { walletBatches } from '../../../pipeline/publish/wallet-batches.js';
import {
  daysFormat,
  intervalsFormat,
  liquidFormat,
  rewardMonthsFormat,
  unbondingFormat,
  validatorFormat,
} from '../../../pipeline/publish/wallet-index/holdings-format.js';
import { openDatabase } from '../../open-database.js';

const seeded = { seed: 20260101, numRuns: 200 };
const units = fc.bigInt({ min: 0n, max: 10n ** 38n - 1n });
const height = fc.nat();
const record = <Row>(members: { [Name in keyof Row]: fc.Arbitrary<Row[Name]> }) =>
  fc.record(members, { noNullPrototype: true });
const text = fc.string();
const [delegator, validator] = ['cosmos1delegator', 'cosmosvaloper1operator'];

const day = record({
  validator: fc.constant(validator),
  day: text,
  close_height: height,
  tokens: units,
  shares: units,
  ratio: text,
});
const slash = record({
  validator: fc.constant(validator),
  height,
  period: height,
  fraction: units,
  ratio: text,
});

/** The values that SQL writes of a table's rows, by name. */
async function written<Row>(table: string, rows: readonly Row[], sql: string): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-lines-'));
  const path = join(folder, 'lines.txt');
  const database = await openDatabase();
  try {
    await database.create(table);
    await database.append(table, rows);
    for (const macro of ['tables/ratio_text', 'tables/unscaled']) await database.run(macro);
    await database.run(sql, { path, native: 'uatom' });
    const values = new Map<string, string>();
    for (const { address, rows: items } of walletBatches(readLines(path, 'latin1'))) {
      values.set(address, Buffer.from(`[${items.join(',')}]`, 'latin1').toString());
    }
    return values;
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

/** Amounts at both ends, and texts beyond ASCII. */
const amounts = [0n, 5n, 10n ** 18n, 10n ** 38n - 1n];
const validators = ['cosmosvaloper1a', 'é "☃" 🙂'];

test('lines that SQL writes are parsed into the rows of the tables', async () => {
  const owners = ['cosmos1a', 'cosmos1b'];
  const intervals = owners.flatMap((owner) =>
    amounts.map((amount, from_height) => ({
      delegator: owner,
      validator: validators[0]!,
      from_height,
      to_height: amount === 0n ? null : 9,
      shares: amount,
      stake: amount,
      start_period: 3,
      start_ratio: amount === 0n ? '' : '0.000000000000000005uatom',
    })),
  );
  const others = intervals.map((row) => ({ ...row, start_ratio: `1.000000000000000000ibc/A,${row.start_ratio}` }));
  for (const rows of [intervals, others.filter(({ start_ratio }) => start_ratio.endsWith('uatom'))]) {
    const found = await written('delegation_intervals', rows, 'tables/interval_lines');
    for (const owner of owners) {
      const own = rows.filter(({ delegator: other }) => other === owner);
      const native = own.map((row) => ({ ...row, start_ratio: row.start_ratio.replace(/.*,/, '') }));
      assert.deepEqual(intervalsFormat.parse(owner, found.get(owner)!), native);
    }
  }
  const entries = amounts.map((balance, creation_height) => ({
    delegator,
    validator: validators[1]!,
    creation_height,
    completion_time: '2026-02-03 04:05:06',
    from_height: 1,
    to_height: null,
    balance,
  }));
  const unbondings = await written('unbonding_intervals', entries, 'tables/unbonding_lines');
  assert.deepEqual(unbondingFormat.parse(delegator, unbondings.get(delegator)!), entries);
  const days = [7n, 7n, 0n].map((liquid, i) => ({
    address: delegator,
    day: `2026-01-0${i + 1}`,
    close_height: i,
    liquid,
    staked: 0n,
    unbonding: 0n,
  }));
  const balances = await written('daily_holdings', days, 'tables/balance_lines');
  assert.deepEqual(liquidFormat.parse(balances.get(delegator)!), [
    { day: '2026-01-01', amount: 7n },
    { day: '2026-01-03', amount: 0n },
  ]);
  const months = amounts.map((earned, i) => ({
    address: delegator,
    denom: validators[1]!,
    month: `2026-0${i + 1}`,
    earned,
    paid: null,
    unclaimed: 1n,
  }));
  const rewards = await written('reward_months', months, 'tables/reward_month_lines');
  assert.deepEqual(rewardMonthsFormat.parse(delegator, rewards.get(delegator)!), months);
});

test('what is packed comes back, amounts beyond every number included', () => {
  fc.assert(
    fc.property(fc.array(day), fc.array(slash), (days, slashes) => {
      assert.deepEqual(validatorFormat.parse(validator, validatorFormat.serialize({ days, slashes })), {
        days,
        slashes,
      });
      const closes = days.map(({ day: name, close_height }) => ({ day: name, close_height }));
      assert.deepEqual(daysFormat.parse(daysFormat.serialize(closes)), closes);
    }),
    seeded,
  );
});
