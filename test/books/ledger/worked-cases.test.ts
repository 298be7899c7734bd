/** Compares the engine with cases computed by hand: positions, slices and journal from wallets and prices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, formatDecimal, parseDecimal, valueInCents } from '../../../pipeline/base/values/amount.js';
import { type Decisions, decisionIssues, parseAssetDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { BEFORE_INDEX } from '../../../pipeline/books/ledger/opening-coins.js';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../../pipeline/books/ledger/opening-lots.js';
import { termOf } from '../../../pipeline/books/ledger/slices.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { bankRates } from '../bank-rates.js';
import {
  balances,
  carriedBetween,
  INDEX_START,
  incomeOf,
  type Realized,
  type Replayed,
  readTags,
  realized,
  replay,
  rules,
} from './wallets.js';
import {
  AS_OF,
  type Case,
  cases,
  conventions,
  type Expectation,
  eventsOf,
  type Happening,
  hashOf,
  joinTransfers,
  priceOf,
  type Slice,
  units,
} from './worked-cases.js';

const account = (short: string) => conventions.accounts[short] ?? short;
const usd = (cents: bigint | null) => (cents === null ? undefined : formatCents(cents));
const isIncome = (credited: string) => credited.startsWith('Income: ');
const total = (amounts: (bigint | null)[]) => formatCents(amounts.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n));

/** Reads tags and decisions of a query. A lot with a stated unit cost is a receipt with an override. */
function decisionsOf(query: Expectation['query'], happenings: Happening[], events: PricedEvent[]): Decisions {
  const tags = Object.entries(query?.tags ?? {}).map(([name, tag]) => [hashOf(name).toLowerCase(), tag]);
  const stated = happenings.flatMap((one, i) =>
    one.unit_cost === undefined
      ? []
      : [
          [
            events[i]!.id,
            {
              mode: 'override',
              cost_basis_usd: formatCents(valueInCents(units(one.quantity), 6, parseDecimal(one.unit_cost, 6))),
              acquired_date: one.acquired_date ?? one.date,
            },
          ],
        ],
  );
  const { tags: ofRows, issues } = readTags(events, Object.fromEntries(tags));
  assert.deepEqual(issues, []);
  const assets = parseAssetDecisions({ ...Object.fromEntries(stated), ...query?.asset_decisions }, bankRates);
  assert.ok('value' in assets);
  return { tags: ofRows, assets: assets.value };
}

/** Reads the opening lots of a wallet; a case omits their denom. */
function openingLotsOf(
  query: Expectation['query'],
  address: string,
  opening: ReadonlyMap<string, bigint> | undefined,
): readonly OpeningLot[] {
  const stated = query?.opening_lots?.[address]?.map((lot) => ({ denom: 'uatom', ...lot })) ?? [];
  const read = parseOpeningLots(stated, rules, bankRates);
  assert.ok('value' in read);
  const context = { addresses: [address], indexStart: INDEX_START, rules, openingOf: () => opening };
  assert.deepEqual(openingLotIssues(read.value, context), []);
  return read.value;
}

/** Returns the members of a realized slice that a case states: no unknown basis, and only a long term. */
const shownSlice = (one: Realized): Slice => {
  const shown = {
    sold: one.sold,
    quantity: one.quantity,
    acquired: one.acquired === BEFORE_INDEX ? undefined : one.acquired,
    proceeds: usd(one.proceeds),
    basis: usd(one.basis),
    gain: usd(one.gain),
    term: one.term === 'LONG' ? 'LONG' : undefined,
    of: one.category === 'fee' ? 'fee' : undefined,
  };
  return JSON.parse(JSON.stringify(shown));
};

const shownEntry = (entry: Entry) => [
  entry.time.slice(0, 10),
  entry.debit_account,
  entry.credit_account,
  formatCents(entry.amount),
  entry.quantity === null ? null : formatDecimal(entry.quantity, 6),
  entry.address,
];

/** Sorts entries by day, as a case does; on a day each wallet's entries keep their order. */
const byDay = <Entry extends readonly unknown[]>(entries: Entry[]): Entry[] =>
  entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0));

function checkPositions(
  expected: NonNullable<Expectation['positions']>,
  wallets: Replayed[],
  price: bigint | null,
): void {
  const rows = wallets.flatMap(({ wallet }) => positionsOf(wallet, (denom) => (denom === 'uatom' ? price : null)));
  assert.equal(String(rows.length), expected.count);
  for (const [i, { zero_basis_reading: _, ...row }] of (expected.rows ?? []).entries()) {
    const { lots, ...shown } = rows[i]!;
    const said = Object.fromEntries(Object.entries({ ...shown, lots: String(lots) }).filter(([name]) => name in row));
    assert.deepEqual(said, row);
    assert.equal(shown.price_missing, row.price_missing ?? false);
  }
}

function checkExpectation(one: Case, expected: Expectation): void {
  const { query } = expected;
  const addresses = query?.address.split(',') ?? ['A'];
  const date = query?.date ?? AS_OF;
  const told = Object.fromEntries(
    addresses.map((address) => [address, eventsOf(address, one.wallets![address]!, one.prices)]),
  );
  joinTransfers(one.wallets!, told);
  const own = query?.own_wallets === 'carry' ? carriedBetween(told) : undefined;
  const wallets = addresses.map((address) => {
    const happenings = one.wallets![address]!;
    const events = told[address]!;
    const decisions = decisionsOf(query, happenings, events);
    for (const event of events) {
      const decision = decisions.assets.get(event.id);
      assert.deepEqual(decision ? decisionIssues(event, decision, rules) : [], []);
    }
    const held = one.opening?.[address];
    const opening = held === undefined ? undefined : new Map([['uatom', units(held)]]);
    return replay(events, decisions, date, opening, openingLotsOf(query, address, opening), own, address);
  });
  const entries = wallets.flatMap((wallet) => wallet.entries);
  const slices = realized(entries);
  const basisOf = (act: string) => total(entries.filter((entry) => entry.act === act).map((entry) => entry.amount));
  if (expected.positions) checkPositions(expected.positions, wallets, priceOf(one.prices, date));
  const holding = wallets[0]!.wallet.holding('uatom');
  const positions = wallets.flatMap(({ wallet }) => positionsOf(wallet, () => null));
  const cost = total(positions.map((position) => units(position.cost_basis_usd || '0') / 10000n));

  const figures: [name: string, stated: unknown, ours: unknown][] = [
    ['income', expected.income_usd, formatCents(incomeOf(entries))],
    [
      'price missing',
      expected.price_missing_rows,
      String(
        entries.filter(({ memo, credit_account }) => isIncome(credit_account) && memo.includes('price missing')).length,
      ),
    ],
    [
      'slices',
      (expected.realized?.slices ?? expected.slices)?.map(({ address = 'A', basis_unknown: _, ...slice }) => [
        address,
        slice,
      ]),
      slices.map((slice) => [slice.address, shownSlice(slice)]),
    ],
    ['gain', expected.realized?.gain_total, total(slices.map((slice) => slice.gain))],
    ['proceeds', expected.realized?.proceeds_total, total(slices.map((slice) => slice.proceeds))],
    ['basis', expected.realized?.basis_total, total(slices.map((slice) => slice.basis))],
    ['unmatched', expected.unmatched_quantity, formatDecimal(holding.unmatched, 6)],
    ['matched basis', expected.matched_basis, basisOf('dispose')],
    ['debits', expected.journal_debits, total(entries.map((entry) => entry.amount))],
    ['cost', expected.cost_basis_sum, cost],
    [
      'conservation',
      expected.basis_conservation,
      { acquired: basisOf('acquire'), relieved: basisOf('dispose'), open: cost },
    ],
  ];
  for (const [name, stated, ours] of figures) if (stated !== undefined) assert.deepEqual(ours, stated, name);
  if (expected.journal)
    assert.deepEqual(
      byDay(entries.map(shownEntry)),
      byDay(
        expected.journal.map(([day, debit, credit, amount, quantity, wallet]) => [
          day,
          account(debit),
          account(credit),
          amount,
          quantity,
          wallet ?? 'A',
        ]),
      ),
    );
  if (expected.balances) {
    const sums = balances(entries);
    for (const [short, stated] of Object.entries(expected.balances)) {
      if (short !== 'sum') assert.equal(formatCents(sums.get(account(short)) ?? 0n), stated, short);
    }
    assert.equal(total([...sums.values()]), expected.balances.sum);
  }
}

/** Case 20a: lots stated out of order, and reduced quantities. */
function checkReduction(one: Case, expected: Expectation): void {
  const given = one.lots!.map(({ acquired, quantity, unit_cost }) => ({
    date: '2016-01-01',
    kind: 'acquire',
    quantity,
    unit_cost,
    acquired_date: acquired,
  }));
  const happenings = [...given, { date: '2016-02-01', kind: 'sell', quantity: expected.reduce! }];
  const events = eventsOf('A', happenings, {});
  const { wallet, entries } = replay(events, decisionsOf(undefined, given, events));
  const held = realized(entries).filter((slice) => slice.acquired !== null);
  const shown = (text: { quantity: string; basis: string }) => [text.quantity, text.basis];
  assert.deepEqual(
    held.map((slice) => [slice.quantity, usd(slice.basis)]),
    expected.booked!.map(shown),
  );
  assert.equal(formatDecimal(wallet.holding('uatom').unmatched, 6), expected.unmatched_quantity ?? '0');
  // The rest is what a sale of everything else would book.
  const rest = replay(
    eventsOf('A', [...happenings, { date: '2016-02-02', kind: 'sell', quantity: '1000' }], {}),
    decisionsOf(undefined, given, events),
  );
  const left = realized(rest.entries).filter((slice) => slice.sold === '2016-02-02' && slice.acquired !== null);
  assert.deepEqual(
    left.map((slice) => [slice.quantity, usd(slice.basis)]),
    (expected.left as { quantity: string; basis: string }[]).map(shown),
  );
}

for (const one of cases) {
  test(`case ${one.id}: ${one.title}`, () => {
    for (const expected of one.expect) {
      if (expected.terms) {
        for (const { acquired, sold, term } of expected.terms) assert.equal(termOf(acquired, sold), term);
      } else if (one.lots) checkReduction(one, expected);
      else if (expected.status !== '409') checkExpectation(one, expected); // The server refuses these.
    }
  });
}
