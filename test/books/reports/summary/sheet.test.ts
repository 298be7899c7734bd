/** Properties of sheets of any wallet and period, and refunds by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDecimal } from '../../../../pipeline/base/values/amount.js';
import { UTC } from '../../../../pipeline/base/values/zones.js';
import { type Decisions, noDecisions } from '../../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../../pipeline/books/ledger/entry.js';
import { refundsOf } from '../../../../pipeline/books/ledger/refunds.js';
import { replayWallet, WalletState } from '../../../../pipeline/books/ledger/replay.js';
import { walletRows } from '../../../../pipeline/books/reports/event-row.js';
import { openHoldings } from '../../../../pipeline/books/reports/positions.js';
import { Sheet, type SheetLines } from '../../../../pipeline/books/reports/summary/sheet.js';
import { USUAL } from '../../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { dayOf, stories } from '../../ledger/random-wallets.js';
import { makeEvent, rules } from '../../ledger/wallets.js';

interface Period {
  readonly lines: SheetLines;
  readonly entries: readonly Entry[];
}

/** Makes the sheet from `start` up to, but without, `end`. */
function sheetOf(events: readonly PricedEvent[], decisions: Decisions, start: string, end: string): Period {
  const wallet = new WalletState({ ...USUAL, rules, address: 'A' });
  const sheet = new Sheet(rules, UTC);
  const refunds = refundsOf(events, decisions, rules);
  const within = (event: PricedEvent) => event.time >= start && event.time < end;
  const before = replayWallet(
    events.filter((event) => event.time < start),
    decisions,
    wallet,
  );
  for (const entry of before) sheet.remember(entry, refunds);
  sheet.open(openHoldings(wallet), 0);
  const context = { rules, monikerOf: () => '' };
  for (const row of events.map(walletRows(context, decisions))) if (within(row.event)) sheet.note(row);
  const entries = [...replayWallet(events.filter(within), decisions, wallet)];
  for (const entry of entries) sheet.add(entry, refunds);
  sheet.close(openHoldings(wallet));
  return { lines: sheet.lines({ addresses: ['A'], days: [start, end], closingDay: end }), entries };
}

const [FIRST, LAST] = ['2000-01-01', '3000-01-01'];
const cents = (text: string) => parseDecimal(text === '' ? '0' : text, 2);

const units = (text: string) => parseDecimal(text, 18);

/** Returns the sums that add up over consecutive periods. */
const flows = ({ income_usd, fees_usd, disposed, reliefs }: SheetLines) => [
  cents(income_usd),
  cents(fees_usd),
  cents(disposed.proceeds_usd),
  cents(disposed.proceeds_basis_unknown_usd),
  cents(disposed.cost_usd),
  cents(disposed.cost_without_price_usd),
  cents(disposed.gain_short_usd),
  cents(disposed.gain_long_usd),
  BigInt(disposed.without_price),
  BigInt(disposed.without_basis),
  reliefs.reduce((sum, { cost_usd }) => sum + cents(cost_usd), 0n),
];

/** Returns closing or opening figures of the assets held. */
const held = ({ assets }: SheetLines, moment: 'opening' | 'closing') =>
  assets
    .map((row) => [
      row.denom,
      row[`${moment}_quantity`],
      row[`${moment}_basis_unknown_quantity`],
      row[`${moment}_before_index_quantity`],
      row[`${moment}_cost_usd`],
    ])
    .filter(([, quantity, , beforeIndex]) => quantity !== '0' || beforeIndex !== '0');

test('two periods add up to the whole, and the second opens as the first closes', () => {
  fc.assert(
    fc.property(stories(false), fc.nat(60), ({ events, decisions }, days) => {
      const cut = dayOf(days);
      const all = sheetOf(events, decisions, FIRST, LAST).lines;
      const first = sheetOf(events, decisions, FIRST, cut).lines;
      const second = sheetOf(events, decisions, cut, LAST).lines;
      const later = flows(second);
      assert.deepEqual(
        flows(first).map((sum, i) => sum + later[i]!),
        flows(all),
      );
      assert.deepEqual(held(second, 'opening'), held(first, 'closing'));
      assert.deepEqual(held(second, 'closing'), held(all, 'closing'));
    }),
    { numRuns: 300, seed: 20260105 },
  );
});

test('gains and unknown basis equal the balances of their accounts, and cost is carried forward', () => {
  fc.assert(
    fc.property(stories(false), fc.nat(60), fc.nat(60), ({ events, decisions }, days, length) => {
      const { lines, entries } = sheetOf(events, decisions, dayOf(days), dayOf(days + length));
      const balance = (account: string) =>
        entries.reduce((sum, { debit_account, credit_account, amount }) => {
          const credit = credit_account === account ? amount : 0n;
          return sum + credit - (debit_account === account ? amount : 0n);
        }, 0n);
      const across = (figure: 'gain_usd' | 'proceeds_basis_unknown_usd') =>
        lines.refunds_across.reduce(
          (sum, line) => sum + (line.kind === 'refunded_later' ? 1n : -1n) * cents(line[figure]),
          cents(lines.disposed[figure]),
        );
      assert.equal(across('gain_usd'), balance('Realized Gain/Loss'));
      assert.equal(across('proceeds_basis_unknown_usd'), balance('Equity: Unknown Basis'));
      for (const row of lines.assets) {
        const cost = cents(row.opening_cost_usd) + cents(row.in_cost_usd) - cents(row.out_cost_usd);
        assert.equal(cost, cents(row.closing_cost_usd), row.denom);
        const known = (moment: 'opening' | 'in' | 'out' | 'closing') =>
          units(row[`${moment}_quantity`]) - units(row[`${moment}_basis_unknown_quantity`]);
        assert.equal(known('opening') + known('in') - known('out'), known('closing'), row.denom);
      }
    }),
    { numRuns: 300, seed: 20260106 },
  );
});

const priced = (usd: bigint) => usd * 1_000_000n;
const coins = (amount: bigint) => amount * 1_000_000n;

/** Ten coins at 10.00. Four leave at 12.00 and return a year later. */
const refunded = [
  makeEvent(1, '2026-01-05', 'staking_reward', {
    ...{ received_amount: coins(10n), received_denom: 'uatom', received_price: priced(10n) },
  }),
  makeEvent(2, '2026-12-30', 'ibc_out', {
    ...{ sent_amount: coins(4n), sent_denom: 'uatom', sent_price: priced(12n), link: 'packet' },
  }),
  makeEvent(3, '2027-01-02', 'ibc_refund', {
    ...{ received_amount: coins(4n), received_denom: 'uatom', received_price: priced(13n), link: 'packet' },
  }),
];

test('a payment that is refunded in whatever period is in no sum, and no proceeds are negative', () => {
  const of = (start: string, end: string) => sheetOf(refunded, noDecisions, start, end).lines.disposed;
  const shown = ({ count, refunds, proceeds_usd, refunded_proceeds_usd, cost_usd, gain_short_usd }: typeof none) =>
    [count, refunds, proceeds_usd, refunded_proceeds_usd, cost_usd, gain_short_usd].join(' ');
  const none = of('2025-01-01', '2026-01-01');
  assert.equal(shown(none), '0 0 0.00 0.00 0.00 0.00');
  const [, paid] = refunded;
  assert.deepEqual(sheetOf(refunded, noDecisions, '2026-01-01', '2027-01-01').lines.refunded_rows, [paid!.id]);
  for (const end of ['2027-01-01', '2028-01-01'])
    assert.equal(shown(of('2026-01-01', end)), '1 1 0.00 48.00 0.00 0.00');
  assert.equal(shown(of('2027-01-01', '2028-01-01')), '0 0 0.00 0.00 0.00 0.00');
});

test('coins without a lot reduce the period in which they return, by a refund or from a deposit', () => {
  const deposit = { counterparty: 'contract', link: null };
  for (const [out, back, more] of [
    ['ibc_out', 'ibc_refund', {}],
    ['contract_deposit', 'contract_withdrawal', deposit],
  ] as const) {
    const events = [
      { ...refunded[1]!, category: out, ...more },
      { ...refunded[2]!, category: back, ...more },
    ];
    const of = (start: string, end: string) => {
      const [line] = sheetOf(events, noDecisions, start, end).lines.assets;
      return [line!.out_quantity, line!.in_quantity, line!.no_lot_quantity, line!.closing_quantity].join(' ');
    };
    assert.equal(of('2026-01-01', '2027-01-01'), '4 0 4 0');
    assert.equal(of('2027-01-01', '2028-01-01'), '0 4 -4 0');
    assert.equal(of('2026-01-01', '2028-01-01'), '4 4 0 0');
  }
});

test('an unknown value is empty, not zero', () => {
  const sold = makeEvent(2, '2026-02-01', 'transfer_out', { sent_amount: coins(1n), sent_denom: 'uatom' });
  const { lines } = sheetOf([refunded[0]!, sold], noDecisions, FIRST, LAST);
  const [line] = lines.disposals;
  assert.deepEqual(
    [line!.without_price, line!.proceeds_usd, line!.gain_usd, line!.cost_usd, line!.cost_without_price_usd],
    [1, '', '', '', '10.00'],
  );
});

test('a term has a figure, or is unknown, or has no sale', () => {
  const old = makeEvent(0, '2024-01-05', 'staking_reward', {
    ...{ received_amount: coins(2n), received_denom: 'uatom', received_price: priced(4n) },
  });
  const sold = (height: number, amount: bigint, sent_price: bigint | null = priced(12n)) =>
    makeEvent(height, '2026-02-01', 'transfer_out', { sent_amount: amount, sent_denom: 'uatom', sent_price });
  const of = (...events: PricedEvent[]) => {
    const { disposed } = sheetOf([old, refunded[0]!, ...events], noDecisions, FIRST, LAST).lines;
    const { gain_short_usd, gain_long_usd, gain_usd, cost_usd } = disposed;
    const { sales, sales_known, sales_short, sales_long, sales_unknown, gain_known } = disposed;
    return [
      [gain_short_usd, gain_long_usd, gain_usd, cost_usd],
      [sales, sales_known, sales_short, sales_long, sales_unknown, gain_known],
    ];
  };
  const cases: [what: string, PricedEvent[], figures: string[], counts: (number | string)[]][] = [
    ['no sale', [], ['0.00', '0.00', '0.00', '0.00'], [0, 0, 0, 0, 0, 'all']],
    ['long-term alone', [sold(2, coins(1n))], ['0.00', '8.00', '8.00', '4.00'], [1, 1, 0, 1, 0, 'all']],
    ['one sale of both terms', [sold(2, coins(3n))], ['2.00', '16.00', '18.00', '18.00'], [1, 1, 1, 1, 0, 'all']],
    ['no price', [sold(2, coins(1n), null)], ['', '', '', ''], [1, 0, 0, 0, 1, 'none']],
    [
      'half of the sales without a price',
      [sold(2, coins(1n)), sold(3, coins(1n), null)],
      ['', '8.00', '8.00', '4.00'],
      [2, 1, 0, 1, 1, 'most'],
    ],
    [
      'more of the sales without a price',
      [sold(2, coins(1n)), sold(3, coins(1n), null), sold(4, coins(1n), null)],
      ['', '8.00', '8.00', '4.00'],
      [3, 1, 0, 1, 2, 'some'],
    ],
    [
      'more of the proceeds at unknown cost',
      [sold(2, coins(2n)), sold(3, coins(10n)), sold(4, coins(13n))],
      ['20.00', '16.00', '36.00', '108.00'],
      [3, 2, 1, 1, 1, 'some'],
    ],
  ];
  for (const [what, events, figures, counts] of cases) assert.deepEqual(of(...events), [figures, counts], what);
  // Coins of unknown basis alone.
  const { disposed } = sheetOf([sold(2, coins(1n))], noDecisions, FIRST, LAST).lines;
  assert.deepEqual([disposed.gain_short_usd, disposed.gain_long_usd, disposed.cost_usd], ['', '', '']);
});

test('income and disposals without a price are questions until their owner states the value', () => {
  const unpriced = { sent_amount: coins(1n), sent_denom: 'uatom' };
  const reward = makeEvent(1, '2026-01-05', 'staking_reward', { received_amount: coins(9n), received_denom: 'uatom' });
  const sold = makeEvent(2, '2026-02-01', 'transfer_out', unpriced);
  const others = [
    makeEvent(3, '2026-02-01', 'delegate', unpriced),
    makeEvent(4, '2026-02-01', 'contract_deposit', { ...unpriced, counterparty: 'contract' }),
    makeEvent(5, '2026-02-01', 'transfer_in', { received_amount: coins(1n), received_denom: 'uatom' }),
  ];
  const asked = (...stated: PricedEvent[]) => {
    const override = { mode: 'override', keepsTreatment: true, value: 100n } as const;
    const decisions = { ...noDecisions, assets: new Map(stated.map(({ id }) => [id, override])) };
    const { open } = sheetOf([reward, sold, ...others], decisions, FIRST, LAST).lines;
    return open
      .filter(({ question }) => question === 'rows_without_price')
      .map(({ count, row_ids }) => [count, row_ids]);
  };
  assert.deepEqual(asked(), [[2, [reward.id, sold.id]]]);
  assert.deepEqual(asked(sold), [[1, [reward.id]]]);
  assert.deepEqual(asked(sold, reward), []);
});

test('income with a stated value has a price, even if the value is zero', () => {
  const reward = makeEvent(1, '2026-01-05', 'staking_reward', { received_amount: coins(1n), received_denom: 'uatom' });
  const shown = (stated?: object) => {
    const override = { mode: 'override', keepsTreatment: true, ...stated } as const;
    const assets = new Map(stated ? [[reward.id, override]] : []);
    const { income, income_usd } = sheetOf([reward], { ...noDecisions, assets }, FIRST, LAST).lines;
    const [line] = income;
    assert.equal(income_usd, line!.income_usd);
    return [line!.count, line!.without_price, line!.income_usd];
  };
  assert.deepEqual(shown(), [1, 1, '']);
  assert.deepEqual(shown({ cost: 700n }), [1, 1, '']);
  assert.deepEqual(shown({ value: 0n }), [1, 0, '0.00']);
  assert.deepEqual(shown({ value: 500n, cost: 0n }), [1, 0, '5.00']);
});
