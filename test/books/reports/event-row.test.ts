import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSchema } from '../../../pipeline/base/project.js';
import { type Decisions, noDecisions, parseAssetDecisions } from '../../../pipeline/books/ledger/decisions.js';
import { EVENT_FIELDS, eventJson, LABELS, labelOf, walletRows } from '../../../pipeline/books/reports/event-row.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { bankRates } from '../bank-rates.js';
import { makeEvent, rules, tagsOf } from '../ledger/wallets.js';

const MONIKERS = new Map([['cosmosvaloper1x', '="X" & Söhne']]);
const context = { rules, monikerOf: (operator: string) => MONIKERS.get(operator) ?? '' };

/** Returns the label of a row that received, sent, or both. */
function label(category: string, sides: 'in' | 'out' | 'both', tag?: string, excluded = false): string {
  const received: Partial<PricedEvent> = sides === 'out' ? {} : { received_amount: 1n, received_denom: 'uatom' };
  const sent: Partial<PricedEvent> = sides === 'in' ? {} : { sent_amount: 1n, sent_denom: 'uatom' };
  const event = makeEvent(1, '2026-01-05', category, { ...received, ...sent });
  const tags = tagsOf([event], tag ? { [event.id]: tag } : {});
  const assets = new Map(excluded ? [[event.id, { mode: 'exclude' } as const]] : []);
  return labelOf(walletRows(context, { ...noDecisions, tags, assets })(event));
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

const VOUCHER = 'ibc/0F8D3C0F081E126A4E275703DA67165DA5353C81F45E945140D0F961B9F7692A';

const received = (category: string, amount: bigint, price: bigint | null, denom = 'uatom') =>
  makeEvent(8, '2026-01-05', category, { received_amount: amount, received_denom: denom, received_price: price });
const sent = (category: string, amount: bigint, price: bigint | null, more: Partial<PricedEvent> = {}) =>
  makeEvent(8, '2026-01-05', category, { sent_amount: amount, sent_denom: 'uatom', sent_price: price, ...more });

function decide(event: PricedEvent, given: { tags?: Record<string, string>; assets?: unknown }): Decisions {
  const assets = given.assets
    ? parseAssetDecisions({ [event.id]: given.assets }, bankRates)
    : { value: noDecisions.assets };
  assert.ok('value' in assets);
  return { tags: tagsOf([event], given.tags ?? {}), assets: assets.value };
}

/** The published row as an object. */
const published = (event: PricedEvent, decisions?: Decisions) =>
  JSON.parse(eventJson(walletRows(context, decisions)(event)));

test("a reward: fields in the specification's order, displayed units, value rounded half-up", () => {
  const event = {
    ...received('staking_reward', 333_333n, 7_777_700n),
    reward_trigger: 'claim',
    validator: 'cosmosvaloper1x',
  };
  // 0.333333 × 7.7777 = 2.5925640…
  assert.deepEqual(Object.entries(published(event)), [
    ['date', '2026-01-05 12:00:00'],
    ['sentAmount', ''],
    ['sentCurrency', ''],
    ['receivedAmount', '0.333333'],
    ['receivedCurrency', 'ATOM'],
    ['feeAmount', ''],
    ['feeCurrency', ''],
    ['label', 'reward'],
    ['description', 'This wallet earned 0.333333 ATOM for its stake with ="X" & Söhne.'],
    ['txHash', event.tx_hash],
    ['category', 'staking_reward'],
    ['taxable', true],
    ['detail', ''],
    ['userTag', ''],
    ['validatorAddress', 'cosmosvaloper1x'],
    ['validatorMoniker', '="X" & Söhne'],
    ['rewardTrigger', 'claim'],
    ['valueUsd', 2.59],
    ['address', 'A'],
    ['id', event.id],
    ['counterparty', ''],
    ['height', 8],
    ['sentDenom', ''],
    ['receivedDenom', 'uatom'],
    ['feeDenom', ''],
    ['priceUsd', 7.7777],
    ['priceMissing', false],
    ['valueStatus', 'priced'],
    ['categoryLabel', 'Staking reward'],
  ]);
});

test('numbers keep every digit above 2^53, and text survives JSON', () => {
  const detail = 'line\nbreak "quoted" \\ \u2028 ☃ \ud83d\ude00 \u0001';
  const event = { ...received('transfer_in', 100_000_000_000_000_001n, 9_999_999_999_999_999_999n), detail };
  const text = eventJson(walletRows(context)(event));
  // (10^11 + 10^-6) × (10^13 - 10^-6) = 10^24 - 10^5 + 10^7 - 10^-12, half-up to the cent
  assert.match(text, /"valueUsd":1000000000000000009900000,/);
  assert.match(text, /"priceUsd":9999999999999.999999,/);
  assert.equal(JSON.parse(text).receivedAmount, '100000000000.000001');
  assert.equal(JSON.parse(text).detail, detail);
});

test('an unlisted denom is its own currency, in base units', () => {
  const row = published(received('transfer_in', 5000n, null, 'factory/cosmos1x/claim'));
  assert.deepEqual([row.receivedAmount, row.receivedCurrency], ['5000', 'factory/cosmos1x/claim']);
  assert.deepEqual([row.valueUsd, row.priceUsd, row.priceMissing], [0, 0, true]);
});

test("the value of a swap is the received side's, or else the sent side's", () => {
  const both = { ...received('swap', 10_000_000n, null, VOUCHER), sent_amount: 2_000_000n, sent_denom: 'uatom' };
  assert.equal(published({ ...both, sent_price: 3_000_000n }).valueUsd, 6);
  assert.equal(published({ ...both, sent_price: 3_000_000n, received_price: 500_000n }).valueUsd, 5);
  assert.equal(published({ ...both, sent_price: null }).priceMissing, true);
});

test('neither record-only rows nor transfers to the same key are taxable', () => {
  assert.equal(published(sent('delegate', 1n, 1n)).taxable, false);
  assert.equal(published(sent('ibc_out', 1n, 1n)).taxable, true);
  assert.equal(published(sent('ibc_out', 1n, 1n, { to_own_key: true })).taxable, false);
});

test('a tag is echoed and makes its row taxable if it means income or a disposal', () => {
  const into = received('transfer_in', 20_000_000n, 12_000_000n);
  const out = sent('transfer_out', 4_000_000n, 12_000_000n);
  const meaning = (event: PricedEvent, tag: string) => {
    const row = walletRows(context, decide(event, { tags: { [event.tx_hash]: tag } }))(event);
    return [row.userTag, row.taxable, row.incomeAccount];
  };
  assert.deepEqual(meaning(into, 'income'), ['income', true, 'Income: Other']);
  assert.deepEqual(meaning(into, 'reward'), ['reward', true, 'Income: Staking Rewards']);
  assert.deepEqual(meaning(into, 'gift'), ['gift', false, undefined]);
  assert.deepEqual(meaning(into, 'purchase'), ['purchase', false, undefined]);
  assert.deepEqual(meaning(out, 'payment'), ['payment', true, undefined]);
  assert.deepEqual(meaning(out, 'own_transfer'), ['own_transfer', false, undefined]);
  // The tag does not apply to this direction, so the row is unchanged.
  assert.deepEqual(meaning(into, 'sale'), ['', true, undefined]);
});

test('a tag can remove income', () => {
  const event = received('airdrop', 1_000_000n, 2_000_000n);
  assert.equal(walletRows(context)(event).incomeAccount, 'Income: Airdrops');
  const row = walletRows(context, decide(event, { tags: { [event.tx_hash.toLowerCase()]: 'ignore' } }))(event);
  assert.deepEqual([row.taxable, row.incomeAccount], [false, undefined]);
});

test('a fee accepts no tag', () => {
  const fee = makeEvent(8, '2026-01-05', 'fee', { fee_amount: 5000n, fee_denom: 'uatom', fee_price: 12_000_000n });
  const row = published(fee, decide(fee, { tags: { [fee.tx_hash]: 'gift' } }));
  assert.deepEqual([row.userTag, row.taxable, row.feeAmount, row.valueUsd], ['', true, '0.005', 0.06]);
});

test('an excluded receipt has no value and is not taxable', () => {
  const event = received('transfer_in', 1n, 11_000_000_000n);
  const row = published(event, decide(event, { assets: { mode: 'exclude' } }));
  assert.deepEqual([row.valueUsd, row.taxable, row.priceMissing, row.receivedAmount], [0, false, false, '0.000001']);
});

test('an override states coin and value', () => {
  const event = received('transfer_in', 5000n, null, 'factory/cosmos1x/claim');
  const override = { mode: 'override', token: 'ATOM', quantity: '20', value_usd: '240' };
  const row = published(event, decide(event, { assets: override }));
  assert.deepEqual(
    [row.receivedAmount, row.receivedCurrency, row.receivedDenom, row.valueUsd, row.priceMissing],
    ['20', 'ATOM', 'uatom', 240, false],
  );
  const worthless = published(event, decide(event, { assets: { mode: 'override', token: 'ATOM', quantity: '20' } }));
  assert.deepEqual([worthless.valueUsd, worthless.priceMissing], [0, true]);
});

test('an override may state the proceeds of a swap', () => {
  const swap = { ...received('swap', 10_000_000n, null, VOUCHER), sent_amount: 1n, sent_denom: 'uatom' };
  const assets = { mode: 'override', value_usd: '7.50' };
  const row = published(swap, decide(swap, { assets }));
  assert.deepEqual([row.valueUsd, row.valueStatus, row.taxable, row.priceMissing], [7.5, 'stated', true, false]);
});

test('an override may state the proceeds of coins sent and of a fee', () => {
  const assets = { mode: 'override', value_usd: '7.50' };
  const sent = makeEvent(1, '2026-01-05', 'transfer_out', { sent_amount: 2_000_000n, sent_denom: 'uatom' });
  const fee = makeEvent(2, '2026-01-05', 'fee', { fee_amount: 500_000n, fee_denom: 'uatom', fee_price: 1_000_000n });
  for (const [event, price] of [
    [sent, 3.75],
    [fee, 15],
  ] as const) {
    const row = published(event, decide(event, { assets }));
    assert.deepEqual([row.valueUsd, row.valueStatus, row.priceMissing, row.priceUsd], [7.5, 'stated', false, price]);
  }
});

test('a stated value divided by the quantity is the price, rounded half-up', () => {
  const priceOf = (event: PricedEvent, override: object) =>
    published(event, decide(event, { assets: { mode: 'override', ...override } })).priceUsd;
  const unknown = received('transfer_in', 5000n, null, 'factory/cosmos1x/claim');
  assert.equal(priceOf(unknown, { token: 'ATOM', quantity: '20', value_usd: '240' }), 12);
  assert.equal(priceOf(unknown, { value_usd: '1.00' }), 0.0002, 'of a base unit');
  assert.equal(priceOf(unknown, { token: 'ATOM', quantity: '3', value_usd: '0.02' }), 0.006667);
  assert.equal(priceOf(unknown, { token: 'ATOM', quantity: '20', value_usd: '0' }), 0);
  const priced = received('transfer_in', 2_000_000n, 12_000_000n);
  assert.equal(priceOf(priced, { value_usd: '7.50' }), 3.75, 'the stated value goes before the day’s price');
  assert.equal(priceOf(priced, { quantity: '1' }), 12);
});

test('an override is income only with an income tag, at the stated value', () => {
  const event = received('airdrop', 5_000_000n, 3_000_000n);
  const assets = { mode: 'override', value_usd: '7.50' };
  assert.equal(walletRows(context, decide(event, { assets }))(event).incomeAccount, undefined);
  const tagged = walletRows(context, decide(event, { assets, tags: { [event.tx_hash]: 'income' } }))(event);
  assert.deepEqual([tagged.incomeAccount, tagged.value], ['Income: Other', 750n]);
});

test('rows have exactly the fields of the published schema', () => {
  const { properties } = readSchema<{
    properties: { events: { items: { properties: object; required: readonly string[] } } };
  }>('responses/events.json');
  const { items } = properties.events;
  const names = EVENT_FIELDS.map((field) => field.name);
  assert.deepEqual([...names, 'localDate'], Object.keys(items.properties));
  assert.deepEqual(names, items.required);
});
