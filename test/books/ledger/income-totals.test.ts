import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatCents, halfUp, powerOfTen } from '../../../pipeline/base/values/amount.js';
import { IN_PRICES } from '../../../pipeline/books/currencies/valuer.js';
import { noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import { IncomeTotals } from '../../../pipeline/books/ledger/income-totals.js';
import { walletRows } from '../../../pipeline/books/reports/event-row.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import { makeEvent, replay, rules, tagsOf } from './wallets.js';

const ATOM_PRICE = 6_125_000n;
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

/** 300 rewards of one amount in three blocks, at 6.125 USD per ATOM. */
const rewards = (units: bigint) =>
  Array.from({ length: 300 }, (_, n) =>
    makeEvent(1 + Math.floor(n / 100), '2026-01-23', 'staking_reward', {
      position: n % 100,
      id: `${n}-0-0-0-A`,
      received_amount: units,
      received_denom: 'uatom',
      received_price: ATOM_PRICE,
    }),
  );

/** Values in USD of 300 rewards of 800 and 900 uatom. Each alone rounds to 0.00 and 0.01. */
for (const [units, income] of [
  [800n, '1.47'],
  [900n, '1.65'],
] as const) {
  test(`300 rewards of ${units} uatom are ${income} USD in rows, journal and positions`, () => {
    const events = rewards(units);
    const { entries, wallet } = replay(events);
    const rows = events.map(walletRows({ rules, monikerOf: () => '' }));
    assert.equal(formatCents(sum(rows.map(({ value }) => value))), income);
    assert.deepEqual(
      entries.map(({ amount }) => amount),
      rows.map(({ value }) => value),
    );
    assert.equal(positionsOf(wallet, () => ATOM_PRICE)[0]!.cost_basis_usd, income);
  });
}

test('a stated value is not part of the running total', () => {
  const events = rewards(800n);
  const assets = new Map([[events[0]!.id, { mode: 'override', keepsTreatment: true, value: 700n } as const]]);
  const rows = events.map(walletRows({ rules, monikerOf: () => '' }, { ...noDecisions, assets }));
  assert.equal(sum(rows.map(({ value }) => value)), 700n + halfUp(299n * 49n, 100n));
});

test('each income account has a running total of its own, and rows agree with the journal', () => {
  const events = rewards(800n);
  const tags = tagsOf(events, Object.fromEntries(events.slice(0, 150).map(({ id }) => [id, 'income'])));
  const decisions = { ...noDecisions, tags };
  const { entries } = replay(events, decisions);
  const totals = new Map<string, bigint>();
  for (const { credit_account: account, amount } of entries) totals.set(account, (totals.get(account) ?? 0n) + amount);
  const half = halfUp(150n * 49n, 100n);
  assert.deepEqual(Object.fromEntries(totals), { 'Income: Other': half, 'Income: Staking Rewards': half });
  const rows = events.map(walletRows({ rules, monikerOf: () => '' }, decisions));
  assert.deepEqual(
    rows.map(({ value }) => value),
    entries.map(({ amount }) => amount),
  );
});

test('values add up to the rounded total, also if the remainders are stored in between', () => {
  const receipts = fc.array(
    fc.record({ quantity: fc.bigInt(1n, 10n ** 12n), price: fc.bigInt(1n, 10n ** 9n), isStored: fc.boolean() }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(receipts, fc.constantFrom(0, 6, 18), (list, decimals) => {
      let totals = new IncomeTotals(IN_PRICES);
      let [values, exact] = [0n, 0n];
      for (const { quantity, price, isStored } of list) {
        const value = totals.add({ account: 'a', denom: 'd', decimals, quantity, price, day: '2026-01-01' })!;
        assert.ok(value >= 0n);
        values += value;
        exact += quantity * price;
        assert.equal(values, halfUp(exact, powerOfTen(decimals + 4)));
        if (isStored) totals = new IncomeTotals(IN_PRICES, totals.remainders());
      }
    }),
  );
});
