import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decisions, noDecisions, parseAssetDecisions } from '../../../pipeline/books/ledger/decisions.js';
import { eventJson, fillSentence, walletRows } from '../../../pipeline/books/reports/event-row.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { bankRates } from '../bank-rates.js';
import { makeEvent, tagsOf } from '../ledger/wallets.js';

const { rules, categories } = loadReference();
const context = { rules, monikerOf: () => 'Alpha [Node] {sent}' };
const published = (event: PricedEvent, decisions?: Decisions) =>
  JSON.parse(eventJson(walletRows(context, decisions)(event)));
const received = (category: string, amount: bigint, price: bigint | null, denom = 'uatom') =>
  makeEvent(8, '2026-01-05', category, {
    ...{ received_amount: amount, received_denom: denom, received_price: price },
    counterparty: category === 'transfer_in' ? 'B' : null,
  });
const sent = (category: string, amount: bigint, price: bigint | null, more: Partial<PricedEvent> = {}) =>
  makeEvent(8, '2026-01-05', category, { sent_amount: amount, sent_denom: 'uatom', sent_price: price, ...more });
const said = (event: PricedEvent, decisions?: Decisions) => {
  const { description, valueUsd, valueStatus } = published(event, decisions);
  return [description, valueUsd, valueStatus];
};
const decided = (event: PricedEvent, decision: object): Decisions => {
  const assets = parseAssetDecisions({ [event.id]: decision }, bankRates);
  assert.ok('value' in assets);
  return { ...noDecisions, assets: assets.value };
};

test('a sentence has the amounts and names of its row, and omits missing parts', () => {
  const reward = received('staking_reward', 333_333n, 2_000_000n);
  assert.equal(published(reward).description, 'This wallet earned 0.333333 ATOM for its stake.');
  const named = { ...reward, validator: 'cosmosvaloper1x' };
  assert.equal(
    published(named).description,
    'This wallet earned 0.333333 ATOM for its stake with Alpha [Node] {sent}.',
    'a name is no part of the sentence',
  );
  const out = sent('ibc_out', 1_500_000n, 2_000_000n, { counterparty: 'osmo1x' });
  assert.equal(published(out).description, '1.5 ATOM went to another chain, to osmo1x.');
  assert.equal(
    published({ ...out, to_own_key: true }).description,
    '1.5 ATOM went to another chain, to osmo1x, where the address has the same key as this wallet.',
  );
  const swap = { ...received('swap', 2n, null, 'factory/a/b'), sent_amount: 5_000_000n, sent_denom: 'uatom' };
  assert.match(published(swap).description, /^In an exchange, 5 ATOM were given, 2 factory\/a\/b were received\. /);
});

test('every category has a complete sentence, whatever slots are empty', () => {
  const slots = ['sent', 'received', 'fee', 'validator', 'counterparty'];
  for (const { category, sentence, sentence_to_own_key = sentence } of categories) {
    for (const text of [sentence, sentence_to_own_key]) {
      // Amounts outside brackets occur in every row of the category.
      const always = new Set([...text.replace(/\[[^\]]*\]/g, '').matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot));
      const used = [...text.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot!);
      assert.ok(used.length > 0 && used.every((slot) => slots.includes(slot)), category);
      for (const left of [...slots.filter((slot) => !always.has(slot)), undefined]) {
        const filled = fillSentence(text, (slot) => (slot === left ? '' : `<${slot}>`));
        assert.match(filled, /^[A-Z<][^[\]{}]*\.$/, category);
        assert.doesNotMatch(filled, / {2}|,\.|,,/, category);
      }
    }
  }
});

test('the sentence distinguishes values below half a cent, unknown, excluded and stated values', () => {
  assert.deepEqual(said(received('transfer_in', 2000n, 2_000_000n)), [
    ...['0.002 ATOM came from B. It is worth less than half a cent.', 0, 'below_half_cent'],
  ]);
  assert.deepEqual(said(received('transfer_in', 2500n, 2_000_000n)), ['0.0025 ATOM came from B.', 0.01, 'priced']);
  const unknown = received('transfer_in', 2000n, null);
  assert.deepEqual(said(unknown), ['0.002 ATOM came from B. No price was published for that day.', 0, 'no_price']);
  const isUnreached = (denom: string, day: string) => denom === 'uatom' && unknown.time.startsWith(day);
  const { description, valueStatus, priceMissing } = JSON.parse(
    eventJson(walletRows({ ...context, isUnreached })(unknown)),
  );
  assert.deepEqual(
    [description, valueStatus, priceMissing],
    ['0.002 ATOM came from B. No market could be reached on that day; the next run asks again.', 'unreached', true],
  );
  assert.deepEqual(said(unknown, decided(unknown, { mode: 'exclude' })), [
    ...['0.002 ATOM came from B. It is excluded by your decision and counts as worthless.', 0, 'excluded'],
  ]);
  assert.deepEqual(said(unknown, decided(unknown, { mode: 'override', value_usd: '0.001' })), [
    ...['0.002 ATOM came from B. Your decision states its value.', 0, 'stated'],
  ]);
});

test('the sentence names the tag, unless the receipt is excluded', () => {
  const event = received('transfer_in', 4_000_000n, 2_000_000n);
  const tags = tagsOf([event], { [event.tx_hash]: 'income' });
  assert.equal(
    published(event, { ...noDecisions, tags }).description,
    '4 ATOM came from B. It is treated according to your tag income.',
  );
  assert.equal(
    published(event, { ...decided(event, { mode: 'exclude' }), tags }).description,
    '4 ATOM came from B. It is excluded by your decision and counts as worthless.',
  );
});
