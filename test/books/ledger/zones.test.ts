/** Days and terms of a replay in a zone, against dates that were written by hand from the rules of each place. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../../pipeline/base/values/day.js';
import { lastSecond, zoneNamed } from '../../../pipeline/base/values/zones.js';
import { type Decisions, noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { refundsOf } from '../../../pipeline/books/ledger/refunds.js';
import { readSlices } from '../../../pipeline/books/ledger/slices.js';
import { formRows } from '../../../pipeline/books/reports/form8949/form-rows.js';
import { termsOf } from '../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { stories } from './random-wallets.js';
import { makeEvent, replay, rules } from './wallets.js';

const replayIn = (timezone: string, events: readonly PricedEvent[], decisions?: Decisions) =>
  replay(events, decisions, undefined, undefined, [], undefined, 'A', termsOf({ method: 'fifo', timezone })).entries;

const at = (height: number, time: string, category: string, more: Partial<PricedEvent>) =>
  makeEvent(height, time.slice(0, 10), category, { ...more, time });
const bought = (height: number, time: string) =>
  at(height, time, 'staking_reward', {
    received_amount: 1_000_000n,
    received_denom: 'uatom',
    received_price: 5_000_000n,
  });
const sold = (height: number, time: string) =>
  at(height, time, 'transfer_out', { sent_amount: 1_000_000n, sent_denom: 'uatom', sent_price: 9_000_000n });

/** A purchase and a sale, in UTC, with their days and the term in a zone. */
const CASES: readonly (readonly [
  zone: string,
  bought: string,
  sold: string,
  acquired: string,
  day: string,
  term: 'SHORT' | 'LONG',
])[] = [
  // One second before and at local midnight of New Year.
  ['America/Los_Angeles', '2025-01-01 07:59:59', '2026-01-01 07:59:59', '2024-12-31', '2025-12-31', 'SHORT'],
  ['America/Los_Angeles', '2025-01-01 07:59:59', '2026-01-01 08:00:00', '2024-12-31', '2026-01-01', 'LONG'],
  ['America/Los_Angeles', '2025-01-01 08:00:00', '2026-01-02 07:59:59', '2025-01-01', '2026-01-01', 'SHORT'],
  ['Asia/Seoul', '2025-12-31 14:59:59', '2026-12-31 14:59:59', '2025-12-31', '2026-12-31', 'SHORT'],
  ['Asia/Seoul', '2025-12-31 14:59:59', '2026-12-31 15:00:00', '2025-12-31', '2027-01-01', 'LONG'],
  ['Asia/Kathmandu', '2025-12-31 18:14:59', '2026-12-31 18:15:00', '2025-12-31', '2027-01-01', 'LONG'],
  ['Pacific/Apia', '2025-12-31 10:59:59', '2025-12-31 11:00:00', '2025-12-31', '2026-01-01', 'SHORT'],
  // The United Kingdom's tax year ends on 5 April, in summer time; Australia's on 30 June, in standard time.
  ['Europe/London', '2026-04-05 22:59:59', '2026-04-05 23:00:00', '2026-04-05', '2026-04-06', 'SHORT'],
  ['Australia/Sydney', '2026-06-30 13:59:59', '2026-06-30 14:00:00', '2026-06-30', '2026-07-01', 'SHORT'],
  // Half an hour of daylight saving ends at 2:00 on 5 April 2026.
  ['Australia/Lord_Howe', '2026-04-04 12:59:59', '2026-04-05 13:29:59', '2026-04-04', '2026-04-05', 'SHORT'],
  ['Australia/Lord_Howe', '2026-04-04 13:00:00', '2026-04-05 13:30:00', '2026-04-05', '2026-04-06', 'SHORT'],
  // A day of 23 hours and one of 25 hours in Berlin.
  ['Europe/Berlin', '2026-03-28 23:00:00', '2026-03-29 21:59:59', '2026-03-29', '2026-03-29', 'SHORT'],
  ['Europe/Berlin', '2026-10-24 22:00:00', '2026-10-25 22:59:59', '2026-10-25', '2026-10-25', 'SHORT'],
  // Bought on 29 February in Honolulu, which is 1 March in UTC.
  ['Pacific/Honolulu', '2028-03-01 09:59:59', '2029-03-01 10:00:00', '2028-02-29', '2029-03-01', 'LONG'],
];

for (const [zone, buy, sell, acquired, day, term] of CASES) {
  test(`${zone}: bought ${buy}, sold ${sell}`, () => {
    const entries = replayIn(zone, [bought(1, buy), sold(2, sell)]);
    const sale = entries.find(({ act }) => act === 'dispose')!;
    assert.deepEqual([sale.acquired, sale.day, sale.term], [acquired, day, term]);
    const [row] = formRows(sale, refundsOf([], noDecisions, rules), rules);
    assert.deepEqual([row!.acquired, row!.sold, row!.box], [acquired, day, term === 'LONG' ? 'L' : 'I']);
  });
}

test('a zone does not change the order of lots, nor a day that the owner states', () => {
  const events = [bought(1, '2026-01-02 01:00:00'), sold(2, '2026-01-02 02:00:00')];
  const stated = { mode: 'override', acquired_date: '2026-01-02', cost: 100n } as const;
  const decisions = { tags: new Map(), assets: new Map([[events[0]!.id, stated]]) };
  const terms = termsOf({ method: 'fifo', timezone: 'America/Los_Angeles' });
  const { entries } = replay(events, decisions, undefined, undefined, [], undefined, 'A', terms);
  const sale = entries.find(({ act }) => act === 'dispose')!;
  assert.deepEqual([sale.acquired, sale.day], ['2026-01-02', '2026-01-01']);
});

const NAMED: ReadonlySet<keyof Entry> = new Set(['day', 'acquired', 'term', 'slices']);

describe('random wallets', () => {
  for (const zone of ['America/Los_Angeles', 'Asia/Seoul', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']) {
    test(`in ${zone} only days and terms differ, and all days together are all entries`, () => {
      fc.assert(
        fc.property(stories(), fc.nat(86_399), ({ events, decisions }, second) => {
          const rows = spread(events, second);
          const [usual, local] = [replayIn('UTC', rows, decisions), replayIn(zone, rows, decisions)];
          const rest = (entry: Entry) => Object.entries(entry).filter(([name]) => !NAMED.has(name as keyof Entry));
          assert.deepEqual(local.map(rest), usual.map(rest));
          const amounts = ({ slices }: Entry) => readSlices(slices).map(({ acquired: _, ...amount }) => amount);
          assert.deepEqual(local.map(amounts), usual.map(amounts));
          requireDays(zone, local);
        }),
        { numRuns: 40 },
      );
    });
  }
});

/** Gives the rows of a day, which are at noon, the same later or earlier second. */
function spread(events: readonly PricedEvent[], second: number): PricedEvent[] {
  const time = new Date(second * 1000).toISOString().slice(11, 19);
  return events.map((event) => ({ ...event, time: `${event.time.slice(0, 10)} ${time}` }));
}

/** Requires that each entry lies between the bounds of its day, and that the days follow each other without gaps. */
function requireDays(zone: string, entries: readonly Entry[]): void {
  const place = zoneNamed(zone);
  for (const { day, time } of entries) {
    assert.ok(time > lastSecond(place, addDays(day, -1)) && time <= lastSecond(place, day), `${time} on ${day}`);
  }
}
