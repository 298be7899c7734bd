import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactNumber, toJson } from '../../../pipeline/base/json/exact-json.js';
import { EventSummary, type EventType, isOfType, openEventList } from '../../../pipeline/books/reports/event-list.js';
import { EVENT_FIELDS, eventJson, walletRows } from '../../../pipeline/books/reports/event-row.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { makeEvent, rules, tagsOf } from '../ledger/wallets.js';

const COVERAGE = {
  index_start: '2025-12-31',
  index_end: '2026-04-14',
  complete: true,
  range_complete: true,
  covered_from: '2025-12-31T00:00:00Z',
  covered_to: '2026-04-14T12:00:00Z',
  generation: 'h1000-000000000000',
  height: 1000,
  holdings_from: 1,
  holdings_until: 1000,
  note: '-',
};
const PRICE = 2_000_000n;
const received = (height: number, category: string, amount: bigint, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-02-01', category, {
    received_amount: amount,
    received_denom: 'uatom',
    received_price: PRICE,
    ...more,
  });
const sent = (height: number, category: string, amount: bigint, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-02-02', category, { sent_amount: amount, sent_denom: 'uatom', sent_price: PRICE, ...more });

const context = { rules, monikerOf: () => '' };
const HEAD = { type: 'all', addresses: ['A'], start: null, end: null, methodologyVersion: '1.1.0' } as const;
/** Makes the default response. */
function answerOf(events: PricedEvent[]): string {
  const rows = events.map(walletRows(context));
  const summary = new EventSummary(rules);
  for (const row of rows) summary.add(row);
  return `${openEventList(HEAD, summary, rules, COVERAGE)}${rows.map(eventJson).join(',')}]}`;
}
const summaryOf = (events: PricedEvent[]) => JSON.parse(answerOf(events)).summary;

test('a wallet without rows has zeros and empty dates', () => {
  assert.equal(
    answerOf([]),
    '{"chain":"cosmoshub","type":"all","addresses":["A"],"start":null,"end":null,"methodology_version":"1.1.0","coverage":{"index_start":"2025-12-31","index_end":"2026-04-14","complete":true,"range_complete":true,"covered_from":"2025-12-31T00:00:00Z","covered_to":"2026-04-14T12:00:00Z","generation":"h1000-000000000000","height":1000,"holdings_from":1,"holdings_until":1000,"note":"-"},"summary":{"taxableEvents":0,"stakingRewards":0,"incomeUsd":0,"totalReceived":0,"totalSent":0,"totalFees":0,"symbol":"ATOM","firstDate":"","lastDate":""},"count":0,"events":[]}',
  );
});

test('the summary adds receipts and outflows, but not moves inside the wallet', () => {
  const fee = { fee_amount: 5000n, fee_denom: 'uatom', fee_price: PRICE };
  const both = { received_amount: 8_000_000n, received_denom: 'uatom', received_price: PRICE };
  const summary = summaryOf([
    received(1, 'transfer_in', 10_000_000n),
    received(2, 'staking_reward', 3_000_000n),
    received(3, 'validator_commission', 1_000_000n),
    makeEvent(4, '2026-02-02', 'fee', fee),
    sent(5, 'delegate', 8_000_000n),
    sent(6, 'undelegate', 8_000_000n, both),
    received(7, 'unbonding_complete', 8_000_000n),
    sent(8, 'self_transfer', 8_000_000n, both),
    sent(9, 'gov_deposit', 500_000n),
    received(10, 'gov_refund', 400_000n),
    sent(11, 'gov_deposit_burned', 100_000n),
    sent(12, 'transfer_out', 2_000_000n),
    received(13, 'transfer_in', 77n, { received_denom: 'factory/x/y', received_price: null }),
  ]);
  assert.deepEqual(summary, {
    // all but delegate, undelegate, unbonding_complete, self_transfer, gov_deposit and gov_refund
    taxableEvents: 7,
    stakingRewards: 3,
    // 3 rewards and 1 commission at 2.00
    incomeUsd: 8,
    totalReceived: 14.4,
    totalSent: 2.5,
    totalFees: 0.005,
    symbol: 'ATOM',
    firstDate: '2026-02-01 12:00:00',
    lastDate: '2026-02-02 12:00:00',
  });
});

test('sums are exact above 2^53 base units', () => {
  const huge = received(1, 'transfer_in', 2n ** 53n + 1n);
  const text = answerOf([huge, { ...huge, id: 'again' }]);
  // 2 × 9,007,199,254,740,993 base units
  assert.match(text, /"totalReceived":18014398509\.481986,/);
});

test('a type selects by group, and a row tagged as income is income', () => {
  const event = received(1, 'transfer_in', 5n);
  const types = (tag?: string): EventType[] => {
    const tags = tagsOf([event], tag ? { [event.tx_hash]: tag } : {});
    const row = walletRows(context, { tags, assets: new Map() })(event);
    const all: EventType[] = ['all', 'rewards', 'staking', 'income', 'transfers', 'ibc_in', 'ibc_out', 'swaps', 'fees'];
    return all.filter((type) => isOfType(row, type));
  };
  assert.deepEqual(types(), ['all', 'transfers']);
  for (const tag of ['income', 'reward', 'airdrop', 'payment'])
    assert.deepEqual(types(tag), ['all', 'income', 'transfers']);
  assert.deepEqual(types('gift'), ['all', 'transfers']);
  const reward = walletRows(context)(received(2, 'staking_reward', 5n));
  assert.deepEqual(
    [isOfType(reward, 'rewards'), isOfType(reward, 'income'), isOfType(reward, 'fees')],
    [true, true, false],
  );
});

/** Events with hostile texts and any amounts. */
const anyEvent: fc.Arbitrary<PricedEvent> = fc
  .record({
    category: fc.constantFrom(...rules.categories.map(({ category }) => category)),
    received_amount: fc.option(fc.bigInt(0n, 10n ** 37n)),
    sent_amount: fc.option(fc.bigInt(0n, 10n ** 37n)),
    price: fc.option(fc.bigInt(0n, 10n ** 12n)),
    denom: fc.constantFrom('uatom', 'factory/cosmos1x/claim'),
    detail: fc.string({ unit: 'binary' }),
    counterparty: fc.option(fc.string()),
    height: fc.integer({ min: 1, max: 1e9 }),
  })
  .map(({ category, received_amount, sent_amount, price, denom, detail, counterparty, height }) =>
    makeEvent(height, '2026-03-01', category, {
      detail,
      counterparty,
      received_amount,
      received_denom: received_amount === null ? null : denom,
      received_price: received_amount === null ? null : price,
      sent_amount,
      sent_denom: sent_amount === null ? null : denom,
      sent_price: sent_amount === null ? null : price,
    }),
  );

test('rows have the same text as from the general JSON writer', () => {
  const member = (kind: string, text: string) =>
    kind === 'number' ? new ExactNumber(text) : kind === 'boolean' ? text === 'true' : text;
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
      const rows = events.map(walletRows(context));
      const objects = rows.map((row) =>
        Object.fromEntries(EVENT_FIELDS.map(({ name, kind, of }) => [name, member(kind, of(row))])),
      );
      const text = answerOf(events);
      assert.ok(text.endsWith(`"count":${events.length},"events":${toJson(objects)}}`));
      assert.deepEqual(JSON.parse(text).events.length, events.length);
    }),
    { numRuns: 300, seed: 7 },
  );
});
