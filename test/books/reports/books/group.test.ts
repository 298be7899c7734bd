/** Grouped transactions against single ones, read as Beancount reads them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UTC } from '../../../../pipeline/base/values/zones.js';
import { groupTransactions } from '../../../../pipeline/books/reports/books/group.js';
import { Books, byRow, type Transaction } from '../../../../pipeline/books/reports/books/transactions.js';
import { stories } from '../../ledger/random-wallets.js';
import { replay } from '../../ledger/wallets.js';

const monthEnd = { endOf: (day: string) => `${day.slice(0, 7)}-28`, zone: UTC };

function transactionsOf(entries: ReturnType<typeof replay>['entries'], opening: ReadonlyMap<string, bigint>) {
  const plan = new Books('A', opening);
  for (const row of byRow(entries)) plan.book(row);
  const books = new Books('A', opening, plan);
  return [books.opening('2026-01-01'), ...Array.from(byRow(entries), (row) => books.book(row))];
}

/** Adds up postings by account, coin and lot. Requires what Beancount requires of lots. */
function totals(transactions: Iterable<Transaction>, mergesLots: boolean): string[] {
  const sums = new Map<string, bigint>();
  const bare = new Map<string, bigint>();
  let last = '';
  for (const { day, postings } of transactions) {
    assert.ok(day >= last, 'days ascend');
    last = day;
    let dollars = 0n;
    for (const posting of postings) {
      const account = JSON.stringify(posting.account);
      if ('cents' in posting) {
        dollars += posting.cents;
        sums.set(account, (sums.get(account) ?? 0n) + posting.cents);
        continue;
      }
      const { lot, units, denom } = posting;
      const key = `${account} ${denom} ${lot ? (mergesLots ? lot.acquired : lot.label) : ''}`;
      const own = typeof posting.account === 'object' && !lot;
      if (lot) dollars += units > 0n ? lot.basis : -lot.basis;
      if (lot && units > 0n && !mergesLots) assert.ok((bare.get(account) ?? 0n) >= 0n, 'a new lot beside a debt');
      if (lot && units < 0n && !mergesLots) assert.ok((sums.get(key) ?? 0n) >= -units, 'a lot that is not open');
      if (own) bare.set(account, (bare.get(account) ?? 0n) + units);
      sums.set(key, (sums.get(key) ?? 0n) + units);
    }
    assert.equal(dollars, 0n, 'a transaction balances');
  }
  return [...sums].flatMap(([key, sum]) => (sum === 0n ? [] : [`${key} ${sum}`])).sort();
}

for (const mergesLots of [false, true]) {
  test(`grouped transactions balance and add up to the single ones, lots ${mergesLots ? 'merged' : 'separate'}`, () => {
    let [single, grouped] = [0, 0];
    fc.assert(
      fc.property(stories(), ({ events, decisions }) => {
        const opening = new Map([['uatom', 3_000_000_000n]]);
        const all = transactionsOf(replay(events, decisions, undefined, opening).entries, opening);
        const groups = [...groupTransactions(all, monthEnd, mergesLots)];
        assert.deepEqual(totals(groups, mergesLots), totals(all, mergesLots));
        single += all.length;
        grouped += groups.length;
      }),
      { numRuns: 1000, seed: 20260131 },
    );
    assert.ok(grouped < single * 0.95, `${grouped} of ${single}`);
  });
}
