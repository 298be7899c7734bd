import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noDecisions, parseTags } from '../../pipeline/ledger/decisions.js';
import { eventRow } from '../../pipeline/reports/event-row.js';
import { LABELS, labelOf } from '../../pipeline/reports/label.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { makeEvent, rules } from '../ledger/wallets.js';

const context = { rules, monikerOf: () => '' };

/** Returns the label of a row that received, sent, or both. */
function label(category: string, sides: 'in' | 'out' | 'both', tag?: string, excluded = false): string {
  const received: Partial<PricedEvent> = sides === 'out' ? {} : { received_amount: 1n, received_denom: 'uatom' };
  const sent: Partial<PricedEvent> = sides === 'in' ? {} : { sent_amount: 1n, sent_denom: 'uatom' };
  const event = makeEvent(1, '2026-01-05', category, { ...received, ...sent });
  const read = parseTags(tag ? { [event.id]: tag } : {}, rules);
  assert.ok('value' in read);
  const assets = new Map(excluded ? [[event.id, { mode: 'exclude' } as const]] : []);
  return labelOf(eventRow(event, context, { ...noDecisions, tags: read.value, assets }));
}

test("all labels are Koinly's words", () => {
  // support.koinly.io article 9489976, and labels in CSV files of public exporters.
  const known = [
    '',
    'airdrop',
    'cost',
    'donation',
    'gift',
    'income',
    'loan',
    'lost',
    'reward',
    'stake',
    'swap',
    'unstake',
  ];
  assert.deepEqual(LABELS, known);
});

test('a category has its label unless tagged; plain transfers and trades have none', () => {
  assert.equal(label('staking_reward', 'in'), 'reward');
  assert.equal(label('transfer_in', 'in'), '');
  assert.equal(label('swap', 'both'), '');
  assert.equal(label('slash', 'out'), 'lost');
  assert.equal(label('tokenize_shares', 'both'), 'swap');
  assert.deepEqual(
    [label('transfer_in', 'in', 'payment'), label('transfer_out', 'out', 'payment')],
    ['income', 'cost'],
  );
  assert.equal(label('transfer_out', 'out', 'gift'), 'gift');
  assert.equal(label('transfer_in', 'in', 'income', true), '', 'an excluded receipt is nothing, whatever its tag says');
});

test("coins that stay the wallet's own are labelled stake and unstake, which Koinly does not treat as sales", () => {
  for (const category of ['delegate', 'gov_deposit', 'contract_deposit']) assert.equal(label(category, 'out'), 'stake');
  for (const category of ['unbonding_complete', 'gov_refund', 'contract_withdrawal'])
    assert.equal(label(category, 'in'), 'unstake');
  assert.equal(label('undelegate', 'both'), '');
});
