import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalLines } from '../../../pipeline/books/reports/journal.js';
import { positionGaps, positionsOf } from '../../../pipeline/books/reports/positions.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { makeEvent, replay, rules } from '../ledger/wallets.js';

const context = { rules, methodologyVersion: '1.0.0', countryOf: () => 'undisclosed' };
const validator = 'cosmosvaloper1q';
const reward = makeEvent(1, '2026-01-05', 'staking_reward', {
  received_amount: 10_000_001n,
  received_denom: 'uatom',
  received_price: 10_120_000n,
  validator,
  memo: 'for January',
});

test('both lines of an entry have one amount and one id; other members are blank', () => {
  const [debit, credit] = replay([reward]).entries.map((entry) => journalLines(entry, context))[0]!;
  assert.deepEqual(debit, {
    date_utc: '2026-01-05 12:00:00',
    tx_hash: reward.tx_hash,
    entry_id: '1-0-0-0-A-0',
    account: 'Digital Assets: ATOM',
    debit_usd: '101.20',
    credit_usd: '',
    asset: 'ATOM',
    quantity: '10.000001',
    category: 'staking_reward',
    memo: '',
    price_usd: '10.12',
    counterparty: '',
    validator,
    validator_country: 'undisclosed',
    methodology_version: '1.0.0',
    address: 'A',
    basis_unknown_quantity: '0',
    proceeds_usd: '',
    acquired: '2026-01-05',
    term: '',
    tx_memo: 'for January',
    date: '2026-01-05',
  });
  assert.deepEqual(credit, { ...debit, account: 'Income: Staking Rewards', debit_usd: '', credit_usd: '101.20' });
});

test('a gain line has no quantity; each side of a move has its own', () => {
  const share = `${validator}/7`;
  const events = [
    reward,
    makeEvent(2, '2026-02-10', 'transfer_out', { sent_amount: 1n, sent_denom: 'uatom', sent_price: 999_999_000_000n }),
    makeEvent(3, '2026-02-10', 'tokenize_shares', {
      sent_amount: 10_000_000n,
      sent_denom: 'uatom',
      received_amount: 11_000_000n,
      received_denom: share,
    }),
  ];
  const lines = replay(events).entries.map((entry) => journalLines(entry, context));
  assert.deepEqual(
    lines
      .slice(2)
      .map(([debit, credit]) => [
        debit.account,
        debit.asset,
        debit.quantity,
        credit.account,
        credit.asset,
        credit.quantity,
      ]),
    [
      ['Transfers Out: Unclassified', 'ATOM', '', 'Realized Gain/Loss', 'ATOM', ''],
      [`Digital Assets: ${share}`, share, '11', 'Digital Assets: ATOM', 'ATOM', '10'],
    ],
  );
});

test('each side of a move reports its own quantity of unknown basis', () => {
  const share = `${validator}/7`;
  const tokenized = (sent: bigint, received: bigint) =>
    makeEvent(2, '2026-02-10', 'tokenize_shares', {
      sent_amount: sent,
      sent_denom: 'uatom',
      received_amount: received,
      received_denom: share,
    });
  const unknownOf = (opening: bigint, move: PricedEvent) => {
    const { entries } = replay([reward, move], undefined, undefined, new Map([['uatom', opening]]));
    return journalLines(entries.at(-1)!, context).map((line) => line.basis_unknown_quantity);
  };
  assert.deepEqual(unknownOf(10_000_000n, tokenized(10_000_000n, 11_000_000n)), ['11', '10']);
  assert.deepEqual(unknownOf(4_000_000n, tokenized(8_000_000n, 10_000_000n)), ['5', '4']);
  assert.deepEqual(unknownOf(0n, tokenized(8_000_000n, 10_000_000n)), ['0', '0']);
  // Coins without a lot have none in the other denom either, and an unknown basis on both sides.
  assert.deepEqual(unknownOf(0n, tokenized(20_000_002n, 10_000_001n)), ['5', '10.000001']);
});

test('positions without a price are blank and sorted by symbol, and sentences explain the gaps', () => {
  const events = [
    reward,
    makeEvent(2, '2026-02-10', 'transfer_in', { received_amount: 7n, received_denom: 'ibc/unheard' }),
    makeEvent(3, '2026-02-10', 'transfer_out', { sent_amount: 9n, sent_denom: 'factory/x' }),
  ];
  const { wallet } = replay(events);
  const positions = positionsOf(wallet, (denom) => (denom === 'uatom' ? 11_000_000n : null));
  assert.deepEqual(positions, [
    {
      address: 'A',
      asset: 'ATOM',
      denom: 'uatom',
      quantity: '10.000001',
      cost_basis_usd: '101.20',
      basis_unknown_quantity: '0',
      market_price_usd: '11',
      market_value_usd: '110.00',
      unrealized_gain_usd: '8.80',
      price_missing: false,
      lots: 1,
      oldest_lot: '2026-01-05',
      opening_quantity: '0',
    },
    {
      address: 'A',
      asset: 'ibc/unheard',
      denom: 'ibc/unheard',
      quantity: '7',
      cost_basis_usd: '',
      basis_unknown_quantity: '7',
      market_price_usd: '',
      market_value_usd: '',
      unrealized_gain_usd: '',
      price_missing: true,
      lots: 1,
      oldest_lot: '2026-02-10',
      opening_quantity: '0',
    },
  ]);
  const note = positionGaps(wallet).join(' ');
  assert.match(note, /A: the basis of 7 ibc\/unheard is unknown/);
  assert.match(note, /A: 9 factory\/x left without a lot/);
  assert.deepEqual(positionGaps(replay([reward]).wallet), []);
});
