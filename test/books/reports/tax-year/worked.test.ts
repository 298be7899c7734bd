/** Worked examples of lots and of income rules (../pools/worked.json names the source of each). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { formatCents, formatDecimal, parseDecimal } from '../../../../pipeline/base/values/amount.js';
import { addDays } from '../../../../pipeline/base/values/day.js';
import { UTC, zoneNamed } from '../../../../pipeline/base/values/zones.js';
import { IN_PRICES } from '../../../../pipeline/books/currencies/valuer.js';
import type { AssetDecision, Decisions } from '../../../../pipeline/books/ledger/decisions.js';
import { methodNamed } from '../../../../pipeline/books/methods/index.js';
import { poolMethodNamed } from '../../../../pipeline/books/pools/index.js';
import { type Unclaimed, withCounted, withoutIncome } from '../../../../pipeline/books/reports/tax-year/income-rule.js';
import { type Owner, type TaxTerms, yearOfOwner } from '../../../../pipeline/books/reports/tax-year/tax-year.js';
import { loadReference } from '../../../../pipeline/reference.js';
import type { CountryRules, PricedEvent } from '../../../../schemas/types.generated.js';
import { decisionsOf, readCases, type TextCase } from '../../ledger/text-cases.js';
import { INDEX_START, makeEvent, rules } from '../../ledger/wallets.js';

interface Worked {
  readonly id: string;
  readonly country?: string;
  readonly rule?: { readonly method: string };
  readonly events: readonly (readonly [day: string, what: 'buy' | 'sell', units: number, money: number | null])[];
  readonly expect: {
    readonly gains: readonly (string | null)[];
    readonly pool?: readonly [units: string, cost: string | null];
    readonly over?: readonly boolean[];
    readonly acquired?: readonly string[];
  };
}

const { cases } = JSON.parse(readFileSync(join(projectRoot(), 'test/books/pools/worked.json'), 'utf8')) as {
  cases: readonly Worked[];
};
const { countries } = loadReference();

const termsOf = (country: string | undefined, method: string): TaxTerms => {
  const found = countries.find((one) => one.country === country);
  const pool = poolMethodNamed(method);
  return {
    ...{ valuer: IN_PRICES, zone: UTC, yearStart: '01-01', unitRounding: 'none', revalued: null },
    method: pool ? { pool } : { lots: methodNamed(method) },
    free: found?.free?.after ?? null,
    freeMeans: found?.free?.means ?? 'long_term',
  };
};

const ownerOf = (events: readonly PricedEvent[], assets: ReadonlyMap<string, AssetDecision>): Owner => {
  const decisions: Decisions = { tags: new Map(), assets };
  return { address: 'A', events, decisions, opening: new Map(), stated: [] };
};

const EVER = { first: '0001-01-01', last: '9998-12-31', indexStart: '2000-01-01' };

for (const { id, country, rule, events, expect } of cases) {
  const method = rule?.method ?? countries.find((one) => one.country === country)!.method;
  if (!['fifo', 'lifo', 'hifo'].includes(method)) continue;
  test(id, () => {
    const assets = new Map<string, AssetDecision>();
    const rows = events.map(([day, what, units, money], i): PricedEvent => {
      const coins =
        what === 'buy'
          ? { received_amount: BigInt(units), received_denom: 'uatom' }
          : { sent_amount: BigInt(units), sent_denom: 'uatom' };
      const row = makeEvent(i + 1, day, what === 'buy' ? 'transfer_in' : 'transfer_out', coins);
      const stated = (amount: bigint) => (what === 'buy' ? { cost: amount } : { value: amount });
      if (money !== null) assets.set(row.id, { mode: 'override', ...stated(BigInt(money)) });
      return row;
    });
    const { lines, costs } = yearOfOwner(ownerOf(rows, assets), EVER, termsOf(country, method), rules);
    assert.deepEqual(
      lines.map(({ gain }) => gain?.toString() ?? null),
      expect.gains,
    );
    if (expect.acquired)
      assert.deepEqual(
        lines.map(({ acquired }) => acquired),
        expect.acquired,
      );
    if (expect.over)
      assert.deepEqual(
        lines.map(({ isOver }) => isOver),
        expect.over,
      );
    if (expect.pool) assert.equal(costs.get('uatom')?.toString() ?? null, expect.pool[1]);
  });
}

/** Unclaimed at the end of 2026 in Berlin: 12.345678 ATOM at 1.80. Claimed on 2027-02-01: 15 ATOM at 2.00. */
const CLAIM = makeEvent(1, '2027-02-01', 'staking_reward', {
  received_amount: 15_000_000n,
  received_denom: 'uatom',
  received_price: 2_000_000n,
});
const COUNTED = [{ day: '2026-12-31', denom: 'uatom', units: 12_345_678n, value: 2222n }];
const BERLIN = zoneNamed('Europe/Berlin');
const YEAR_2027 = { first: '2027-01-01', last: '2027-12-31', indexStart: '2026-01-01' };

/** Income in cents, and lots as they are sold on the next day: acquired day, base units, cost. */
function viewOf(owner: Owner) {
  const terms: TaxTerms = { ...termsOf('DE', 'fifo'), zone: BERLIN };
  const sale = makeEvent(9, '2027-02-02', 'transfer_out', {
    sent_amount: 15_000_000n,
    sent_denom: 'uatom',
    sent_price: 2_000_000n,
  });
  const { income, lines } = yearOfOwner({ ...owner, events: [...owner.events, sale] }, YEAR_2027, terms, rules);
  return {
    income: income.reduce((sum, { amount }) => sum + amount, 0n),
    lots: lines.map(({ acquired, units, cost }) => [acquired, units, cost]),
  };
}

test('one stake, three views', () => {
  const plain = ownerOf([CLAIM], new Map());
  assert.deepEqual(viewOf(plain), { income: 3000n, lots: [['2027-02-01', 15_000_000n, 3000n]] });
  assert.deepEqual(viewOf({ ...plain, ...withCounted(plain, COUNTED, BERLIN) }), {
    income: 531n,
    lots: [
      ['2026-12-31', 12_345_678n, 2222n],
      ['2027-02-01', 2_654_322n, 531n],
    ],
  });
  assert.deepEqual(viewOf({ ...plain, ...withoutIncome(plain, rules) }), {
    income: 0n,
    lots: [['2027-02-01', 15_000_000n, 0n]],
  });
});

test('without income, the reward of another wallet costs nothing either', () => {
  const redirected = { ...CLAIM, category: 'redirected_reward_in' };
  const plain = ownerOf([redirected], new Map());
  assert.deepEqual(viewOf({ ...plain, ...withoutIncome(plain, rules) }), {
    income: 0n,
    lots: [['2027-02-01', 15_000_000n, 0n]],
  });
});

test('a stated value of a claim is that of all its coins, of which some were counted', () => {
  const stated = { mode: 'override', keepsTreatment: true, value: 6000n } as const;
  const plain = ownerOf([CLAIM], new Map([[CLAIM.id, stated]]));
  assert.deepEqual(viewOf({ ...plain, ...withCounted(plain, COUNTED, BERLIN) }), {
    income: 1062n,
    lots: [
      ['2026-12-31', 12_345_678n, 2222n],
      ['2027-02-01', 2_654_322n, 1062n],
    ],
  });
});

test('a claim of 23:30 UTC on the last day of a year is of the year in its owner’s zone', () => {
  const claim = { ...CLAIM, time: '2026-12-31 23:30:00' };
  for (const [zone, year] of [
    ['America/Los_Angeles', '2026'],
    ['Europe/Berlin', '2027'],
    ['Asia/Seoul', '2027'],
    ['UTC', '2026'],
  ] as const) {
    const terms = { ...termsOf('US', 'fifo'), zone: zoneNamed(zone) };
    for (const name of ['2026', '2027']) {
      const span = { first: `${name}-01-01`, last: `${name}-12-31`, indexStart: '2026-01-01' };
      const { income } = yearOfOwner(ownerOf([claim], new Map()), span, terms, rules);
      assert.equal(income.length, name === year ? 1 : 0, `${zone} ${name}`);
    }
  }
});

test('claims use up what was counted, the oldest year first, and a redirected claim does too', () => {
  const counted = [
    { day: '2025-12-31', denom: 'uatom', units: 4n, value: 8n },
    { day: '2026-12-31', denom: 'uatom', units: 5n, value: null },
  ];
  const claim = (height: number, day: string, units: bigint) =>
    makeEvent(height, day, 'staking_reward', { received_amount: units, received_denom: 'uatom', received_price: 1n });
  const { events, decisions } = withCounted(
    ownerOf([claim(1, '2026-03-01', 3n), claim(2, '2027-03-01', 3n), claim(3, '2027-04-01', 9n)], new Map()),
    counted,
    UTC,
  );
  assert.deepEqual(
    events.map(({ id, received_amount }) => {
      const decision = decisions.assets.get(id);
      return [received_amount, decision?.mode === 'override' ? [decision.acquired_date, decision.cost] : 'income'];
    }),
    [
      [3n, ['2025-12-31', 6n]],
      [1n, ['2025-12-31', 2n]],
      [2n, ['2026-12-31', undefined]],
      [3n, ['2026-12-31', undefined]],
      [6n, 'income'],
    ],
  );
});

interface WorkedRows {
  readonly id: string;
  readonly country: string;
  /** The year in which the tax year begins. */
  readonly year: string;
  readonly rows: readonly string[];
  readonly unclaimed?: readonly (readonly [day: string, quantity: string, value: string | null])[];
  readonly lines: readonly string[];
  readonly costs: readonly string[];
  readonly income: string;
}

const { cases: rowCases } = JSON.parse(
  readFileSync(join(projectRoot(), 'test/books/reports/tax-year/worked-rows.json'), 'utf8'),
) as { cases: readonly WorkedRows[] };

/** Returns the owner's books by the country's income rule. */
function booksOf(one: TextCase, income: CountryRules['income'], unclaimed: WorkedRows['unclaimed'] = []) {
  const books = { events: one.events, decisions: decisionsOf(one) };
  if (income === 'none') return withoutIncome(books, rules);
  const counted = unclaimed.map(([day, quantity, value]): Unclaimed => {
    const units = parseDecimal(quantity, 6);
    return { day, denom: 'uatom', units, value: value === null ? null : parseDecimal(value, 2) };
  });
  return withCounted(books, counted, UTC);
}

for (const { id, country, year, rows, unclaimed, ...expected } of rowCases)
  test(id, () => {
    const found = countries.find((rule) => rule.country === country)!;
    const { year_start: start, unit_rounding: unitRounding, revalued, income: rule } = found;
    const one = readCases(`case ${country}\n${rows.join('\n')}`)[0]!;
    const worth = (denom: string, units: bigint) =>
      IN_PRICES.valueOf(units, 6, one.prices.get(`${addDays(revalued!.day, -1)} ${denom}`) ?? null, '');
    const terms: TaxTerms = {
      ...termsOf(country, found.method),
      ...{ yearStart: start, unitRounding, revalued: revalued ? { day: revalued.day, valueOf: worth } : null },
    };
    const owner: Owner = { address: 'A', ...booksOf(one, rule, unclaimed), opening: one.opening, stated: [] };
    const span = {
      first: `${year}-${start}`,
      last: addDays(`${Number(year) + 1}-${start}`, -1),
      indexStart: INDEX_START,
    };
    const { lines, costs, income } = yearOfOwner(owner, span, terms, rules);
    const shown = (cents: bigint | null) => (cents === null ? '-' : formatCents(cents));
    const symbol = (denom: string) => rules.denomination(denom).symbol;
    const view = {
      lines: lines.map((line) =>
        [
          ...[line.entry.day, formatDecimal(line.units, 6), symbol(line.denom), line.rule],
          ...[shown(line.cost), shown(line.gain), line.acquired ?? [], line.isOver ?? []].flat(),
        ].join(' '),
      ),
      costs: [...costs].map(([denom, cost]) => `${symbol(denom)} ${shown(cost)}`),
      income: formatCents(income.reduce((sum, { amount }) => sum + amount, 0n)),
    };
    const { lines: wantedLines, costs: wantedCosts, income: wantedIncome } = expected;
    assert.deepEqual(view, { lines: wantedLines, costs: wantedCosts, income: wantedIncome });
  });
