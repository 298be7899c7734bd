import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termOf } from '../../pipeline/ledger/slices.js';
import { dayOf } from './random-wallets.js';
import { makeEvent, replay } from './wallets.js';

test('coins of every day of nine years are long from a year after the day that followed it', () => {
  for (let n = -400; n < 9 * 365; n++) {
    const acquired = dayOf(n);
    const begins = new Date(`${dayOf(n + 1)}T00:00:00Z`);
    // The calendar takes 29 February of a year that has none for 1 March.
    const long = new Date(begins);
    long.setUTCFullYear(begins.getUTCFullYear() + 1);
    const first = long.toISOString().slice(0, 10);
    const before = new Date(long.getTime() - 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual([termOf(acquired, before), termOf(acquired, first)], ['SHORT', 'LONG'], acquired);
  }
  assert.deepEqual([termOf('0099-12-31', '0100-12-31'), termOf('0099-12-31', '0101-01-01')], ['SHORT', 'LONG']);
});

test('lots of several days that come back in another order than that of their days are of various days', () => {
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
