import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termOf } from '../../../pipeline/books/ledger/slices.js';
import { dayOf } from './random-wallets.js';
import { makeEvent, replay } from './wallets.js';

test('for nine years of days, a lot is long-term one year after the day that follows its acquisition', () => {
  for (let n = -400; n < 9 * 365; n++) {
    const acquired = dayOf(n);
    const begins = new Date(`${dayOf(n + 1)}T00:00:00Z`);
    // Date turns a missing 29 February into 1 March.
    const long = new Date(begins);
    long.setUTCFullYear(begins.getUTCFullYear() + 1);
    const first = long.toISOString().slice(0, 10);
    const before = new Date(long.getTime() - 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual([termOf(acquired, before), termOf(acquired, first)], ['SHORT', 'LONG'], acquired);
  }
  assert.deepEqual([termOf('0099-12-31', '0100-12-31'), termOf('0099-12-31', '0101-01-01')], ['SHORT', 'LONG']);
});

test('lots of several days are of various days, in whatever order they return', () => {
  const stake = (amount: bigint) => ({ received_amount: amount, received_denom: 'uatom' });
  const pay = (amount: bigint) => ({ sent_amount: amount, sent_denom: 'uatom' });
  const moves = [
    ['staking_reward', stake(10n)],
    ['staking_reward', stake(5n)],
    ['gov_deposit', { ...pay(5n), counterparty: 'gov' }],
    ['contract_deposit', { ...pay(5n), counterparty: 'contract' }],
    ['gov_deposit', { ...pay(5n), counterparty: 'gov' }],
    ['contract_withdrawal', { ...stake(5n), counterparty: 'contract' }],
    ['gov_deposit', { ...pay(5n), counterparty: 'gov' }],
    ['gov_refund', { ...stake(15n), counterparty: 'gov' }],
  ] as const;
  const events = moves.map(([category, move], i) => makeEvent(i + 1, dayOf(i), category, move));
  assert.equal(replay(events).entries.at(-1)!.acquired, 'VARIOUS');
});

test('the part with known basis decides the holding period of a disposal, as on Form 8949', () => {
  const coin = (side: 'received' | 'sent', units: bigint, more = {}) => ({
    ...{ [`${side}_amount`]: units, [`${side}_denom`]: 'uatom', [`${side}_price`]: 1_000_000n, ...more },
  });
  const termOfSale = (...receipts: readonly (readonly [day: string, category: string])[]) => {
    const units = 5n * BigInt(receipts.length);
    const events = receipts.map(([day, category], i) => makeEvent(i + 1, day, category, coin('received', 5n)));
    const sale = makeEvent(9, '2027-02-01', 'transfer_out', coin('sent', units));
    return replay([...events, sale]).entries.find(({ act }) => act === 'dispose')!.term;
  };
  assert.equal(termOfSale(['2027-01-05', 'transfer_in']), null);
  assert.equal(termOfSale(['2026-01-05', 'transfer_in'], ['2027-01-05', 'staking_reward']), 'SHORT');
  assert.equal(termOfSale(['2026-01-05', 'staking_reward'], ['2027-01-05', 'transfer_in']), 'LONG');
  assert.equal(termOfSale(['2026-01-05', 'staking_reward'], ['2027-01-05', 'staking_reward']), 'MIXED');
});
