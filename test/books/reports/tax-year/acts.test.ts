/** What rows do to pools: only coins that are acquired, sold or lost count, and unknown costs stay apart. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, formatDecimal } from '../../../../pipeline/base/values/amount.js';
import { UTC } from '../../../../pipeline/base/values/zones.js';
import { IN_PRICES } from '../../../../pipeline/books/currencies/valuer.js';
import type { OpeningLot } from '../../../../pipeline/books/ledger/opening-lots.js';
import { poolMethodNamed } from '../../../../pipeline/books/pools/index.js';
import { type TaxTerms, yearOfOwner } from '../../../../pipeline/books/reports/tax-year/tax-year.js';
import { decisionsOf, readCases } from '../../ledger/text-cases.js';
import { INDEX_START, rules } from '../../ledger/wallets.js';

const YEAR = { first: '2026-01-01', last: '2026-12-31', indexStart: INDEX_START };

/** Returns lines and, for each coin that is left, its cost. */
function viewOf(method: string, text: string, stated: readonly OpeningLot[] = []): string[] {
  const one = readCases(`case pool\n${text}`)[0]!;
  const terms: TaxTerms = {
    ...{ valuer: IN_PRICES, zone: UTC, yearStart: '01-01', unitRounding: 'none', revalued: null },
    ...{ method: { pool: poolMethodNamed(method)! }, free: null, freeMeans: 'long_term' },
  };
  const owner = { address: 'A', events: one.events, decisions: decisionsOf(one), opening: one.opening, stated };
  const { lines, costs } = yearOfOwner(owner, YEAR, terms, rules);
  const shown = (cents: bigint | null) => (cents === null ? '-' : formatCents(cents));
  const symbol = (denom: string) => rules.denomination(denom).symbol;
  return [
    ...lines.map(({ entry, denom, units, rule, cost, gain }) =>
      [entry.day, formatDecimal(units, 6), symbol(denom), rule, shown(cost), shown(gain)].join(' '),
    ),
    ...[...costs].map(([denom, cost]) => `${symbol(denom)} costs ${shown(cost)}`),
  ];
}

const PRICES = 'price 2026-01-05 ATOM 10\nprice 2026-02-01 ATOM 4\nprice 2026-03-01 ATOM 20\n';

test('a pool whose coins from before the index are all stated has a known cost', () => {
  const lot = { address: 'A', denom: 'uatom', quantity: 10_000_000n, acquired: '2024-05-01', basis: 5000n };
  const text = `${PRICES}opening 10 ATOM\n2026-03-01 t1 transfer_out out 4 ATOM`;
  for (const method of ['moving_average', 'total_average', 'same_day_30_days_pool', 'moving_average_superficial'])
    assert.deepEqual(viewOf(method, text, [lot]), ['2026-03-01 4 ATOM pool 20.00 60.00', 'ATOM costs 30.00'], method);
});

test('coins of shares that came from others belong to the pool of the coin, at an unknown cost', () => {
  const text = `${PRICES}2026-01-05 t1 staking_reward in 2 ATOM
2026-01-06 t2 share_transfer_in in 5 cosmosvaloper1q/7
2026-01-07 t3 redeem_shares out 5 cosmosvaloper1q/7 in 5 ATOM
2026-03-01 t4 transfer_out out 3 ATOM`;
  assert.deepEqual(viewOf('moving_average', text), ['2026-03-01 3 ATOM pool - -', 'ATOM costs -']);
});

test('own shares and those of others redeem their part of the coins, also after a slash', () => {
  const text = `${PRICES}2026-01-05 t1 staking_reward in 10 ATOM
2026-01-06 t2 tokenize_shares out 10 ATOM in 10 cosmosvaloper1q/7
2026-01-07 t3 share_transfer_in in 10 cosmosvaloper1q/7
2026-01-08 t4 redeem_shares out 20 cosmosvaloper1q/7 in 18 ATOM
2026-03-01 t5 transfer_out out 18 ATOM`;
  assert.deepEqual(viewOf('moving_average', text), ['2026-03-01 18 ATOM pool - -']);
});

test('coins that come home are no acquisitions around a loss', () => {
  const text = `price 2026-01-01 ATOM 10\n${PRICES}tag t2 own_transfer
return t4
2026-01-01 t1 staking_reward in 10 ATOM
2026-01-06 t2 transfer_out out 4 ATOM with exchange
2026-02-01 t3 transfer_out out 6 ATOM
2026-02-10 t4 transfer_in in 4 ATOM with exchange`;
  const sold = '2026-02-01 6 ATOM pool 60.00 -36.00';
  assert.deepEqual(viewOf('moving_average_superficial', text), [sold, 'ATOM costs 40.00']);
  assert.deepEqual(viewOf('same_day_30_days_pool', text), [sold, 'ATOM costs 40.00']);
});

test('coins that come home have the cost at which they left, in the order in which they were sent', () => {
  const text = `${PRICES}price 2026-01-20 ATOM 10\nprice 2026-02-10 ATOM 4\ntag t2 own_transfer
tag t4 own_transfer
return t5
return t6
2026-01-05 t1 staking_reward in 10 ATOM
2026-01-06 t2 transfer_out out 6 ATOM with exchange
2026-02-01 t3 staking_reward in 4 ATOM
2026-02-10 t4 transfer_out out 4 ATOM with exchange
2026-02-11 t5 transfer_in in 8 ATOM with exchange
2026-02-12 t6 transfer_in in 3 ATOM with exchange
2026-03-01 t7 transfer_out out 12 ATOM`;
  // 4 ATOM at 10 and 4 at 4, of which 4 leave at 7. Then 6 come home at 10 and 2 at 7. The last 1 was never away.
  const known = text.replace('return t6\n', '').replace(/.* t6 .*\n/, '');
  assert.deepEqual(viewOf('moving_average', known), ['2026-03-01 12 ATOM pool 102.00 138.00']);
  assert.deepEqual(viewOf('same_day_30_days_pool', known), ['2026-03-01 12 ATOM pool 102.00 138.00']);
  // In one year, 8 of the 10 coins never left: 12 of 14 coins that cost 116.
  assert.deepEqual(viewOf('total_average', known), ['2026-03-01 12 ATOM pool 99.43 140.57']);
  for (const method of ['moving_average', 'total_average', 'same_day_30_days_pool'])
    assert.deepEqual(viewOf(method, text), ['2026-03-01 12 ATOM pool - -', 'ATOM costs -'], method);
});

test('coins that come home in a later year have the average of the year in which they left', () => {
  const text = `price 2025-02-01 ATOM 10\nprice 2025-12-01 ATOM 20\n${PRICES}tag t2 own_transfer
return t4
2025-02-01 t1 staking_reward in 10 ATOM
2025-03-01 t2 transfer_out out 5 ATOM with exchange
2025-12-01 t3 staking_reward in 10 ATOM
2026-02-01 t4 transfer_in in 2 ATOM with exchange
2026-03-01 t5 transfer_out out 17 ATOM`;
  assert.deepEqual(viewOf('total_average', text), ['2026-03-01 17 ATOM pool 255.00 85.00']);
});

test('shares that come home redeem the coins from which they were made', () => {
  const text = `${PRICES}tag t3 own_transfer\nreturn t4
2026-01-05 t1 staking_reward in 10 ATOM
2026-01-06 t2 tokenize_shares out 10 ATOM in 12 cosmosvaloper1q/7
2026-01-07 t3 transfer_out out 6 cosmosvaloper1q/7 with exchange
2026-01-08 t4 transfer_in in 6 cosmosvaloper1q/7 with exchange
2026-01-09 t5 redeem_shares out 12 cosmosvaloper1q/7 in 10 ATOM
2026-03-01 t6 transfer_out out 5 ATOM`;
  for (const method of ['moving_average', 'total_average', 'same_day_30_days_pool'])
    assert.deepEqual(viewOf(method, text), ['2026-03-01 5 ATOM pool 50.00 50.00', 'ATOM costs 50.00'], method);
});

test('after a slash between tokenizing and redeeming, fewer coins have the whole cost, as with lots', () => {
  const text = `${PRICES}2026-01-05 t1 staking_reward in 10 ATOM
2026-01-06 t2 tokenize_shares out 10 ATOM in 10 cosmosvaloper1q/7
2026-01-08 t3 redeem_shares out 10 cosmosvaloper1q/7 in 8 ATOM
2026-03-01 t4 transfer_out out 8 ATOM`;
  for (const method of ['moving_average', 'total_average', 'same_day_30_days_pool', 'moving_average_superficial'])
    assert.deepEqual(viewOf(method, text), ['2026-03-01 8 ATOM pool 100.00 60.00'], method);
});

test('a day of coins from before the index matches none of its sales', () => {
  const text = `price 2025-12-31 ATOM 10\n${PRICES}opening 5 ATOM
2025-12-31 t1 staking_reward in 2 ATOM
2025-12-31 t2 transfer_out out 2 ATOM
2026-03-01 t3 transfer_out out 5 ATOM`;
  assert.deepEqual(viewOf('same_day_30_days_pool', text), ['2026-03-01 5 ATOM pool - -']);
});

test('a burned deposit from before the index takes nothing out of the pool', () => {
  const text = `${PRICES}2026-01-05 t1 staking_reward in 10 ATOM
2026-02-01 t2 gov_deposit_burned out 4 ATOM with gov
2026-03-01 t3 transfer_out out 10 ATOM`;
  assert.deepEqual(viewOf('moving_average', text), ['2026-03-01 10 ATOM pool 100.00 100.00']);
});

test('a refund strikes out what had not come home before', () => {
  const text = `${PRICES}return t3
2026-01-05 t1 staking_reward in 10 ATOM
2026-01-06 t2 ibc_out out 10 ATOM with osmo1own own-key link p
2026-01-07 t3 ibc_in in 4 ATOM with osmo1own
2026-01-08 t4 ibc_refund in 10 ATOM link p
2026-03-01 t5 transfer_out out 14 ATOM`;
  assert.deepEqual(viewOf('moving_average', text), ['2026-03-01 14 ATOM pool - -']);
});

test('rewards that are paid to another wallet at once never were in the pool', () => {
  const text = `${PRICES}2026-01-05 t1 staking_reward in 10 ATOM
2026-02-01 t2 staking_reward in 5 ATOM link r
2026-02-01 t2 staking_reward in 5 ATOM link r
2026-02-01 t2 reward_redirected out 8 ATOM with B link r
2026-03-01 t3 transfer_out out 6 ATOM`;
  const cost = [
    ['moving_average', '54.00', '66.00'],
    ['total_average', '54.00', '66.00'],
    ['same_day_30_days_pool', '54.00', '66.00'],
  ];
  for (const [method, known, gain] of cost)
    assert.deepEqual(viewOf(method!, text), [`2026-03-01 6 ATOM pool ${known} ${gain}`, `ATOM costs ${known}`]);
});
