/** Sales that a broker reports against the lots that were sent there: cases, and random brokers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BrokerSale, matchSales, type SentLot } from '../../../pipeline/books/reports/broker-sales.js';

/** Lots and sales as text: asset, day, quantity, and what follows. */
const lot = (text: string): SentLot => {
  const [asset, sent, quantity, cost, acquired, returned = '0'] = text.split(' ') as string[];
  return {
    ...{ asset: asset!, sent: sent!, quantity: BigInt(quantity!), returned: BigInt(returned) },
    ...{ cost: cost === '-' ? null : BigInt(cost!), acquired: acquired === '-' ? null : acquired! },
  };
};
const sale = (text: string): BrokerSale => {
  const [asset, sold, quantity, proceeds] = text.split(' ') as string[];
  return {
    ...{ asset: asset!, sold: sold!, quantity: BigInt(quantity!) },
    proceeds: proceeds === '-' ? null : BigInt(proceeds!),
  };
};
const shown = (lots: readonly SentLot[], sales: readonly BrokerSale[]) =>
  matchSales(lots, sales).map((one) =>
    [
      ...[one.sale.sold, one.quantity, one.proceeds ?? '-', one.lot ? one.lot.sent : one.misfit],
      ...[one.cost ?? '-', one.gain ?? '-', one.term ?? '-'],
    ].join(' '),
  );

const LOTS = ['ATOM 2026-03-01 60 12000 2024-01-05', 'ATOM 2026-05-01 40 11000 2026-02-10'].map(lot);

const CASES: readonly [title: string, lots: readonly SentLot[], sales: readonly string[], parts: readonly string[]][] =
  [
    [
      'a sale takes the lots in the order in which they were sent',
      LOTS,
      ['ATOM 2026-06-01 70 28000'],
      ['2026-06-01 60 24000 2026-03-01 12000 12000 LONG', '2026-06-01 10 4000 2026-05-01 2750 1250 SHORT'],
    ],
    [
      'a second sale goes on where the first one ended, in the order of days',
      LOTS,
      ['ATOM 2026-07-01 20 10000', 'ATOM 2026-06-01 50 20000'],
      [
        '2026-06-01 50 20000 2026-03-01 10000 10000 LONG',
        '2026-07-01 10 5000 2026-03-01 2000 3000 LONG',
        '2026-07-01 10 5000 2026-05-01 2750 2250 SHORT',
      ],
    ],
    ['a sale on the day of the send', LOTS, ['ATOM 2026-03-01 60 1'], ['2026-03-01 60 1 2026-03-01 12000 -11999 LONG']],
    [
      'more is sold than was sent',
      LOTS,
      ['ATOM 2026-06-01 101 10100'],
      [
        '2026-06-01 60 6000 2026-03-01 12000 -6000 LONG',
        '2026-06-01 40 4000 2026-05-01 11000 -7000 SHORT',
        '2026-06-01 1 100 too_much - - -',
      ],
    ],
    [
      'coins are sold before they are sent there',
      LOTS,
      ['ATOM 2026-02-28 5 500', 'ATOM 2026-04-01 80 8000'],
      [
        '2026-02-28 5 500 sold_before_sent - - -',
        '2026-04-01 60 6000 2026-03-01 12000 -6000 LONG',
        '2026-04-01 20 2000 sold_before_sent - - -',
      ],
    ],
    ['another asset', LOTS, ['ETH 2026-06-01 1 -'], ['2026-06-01 1 - other_asset - - -']],
    [
      'coins that had come home cannot be sold there',
      ['ATOM 2026-03-01 60 12000 2024-01-05 60', 'ATOM 2026-05-01 40 11000 2026-02-10 10'].map(lot),
      ['ATOM 2026-06-01 35 3500', 'ATOM 2026-06-02 70 7000'],
      [
        '2026-06-01 30 3000 2026-05-01 8250 -5250 SHORT',
        '2026-06-01 5 500 came_home - - -',
        '2026-06-02 65 6500 came_home - - -',
        '2026-06-02 5 500 too_much - - -',
      ],
    ],
    [
      'unknown costs and unknown days stay unknown',
      ['ATOM 2026-03-01 60 - -', 'ATOM 2026-03-01 10 0 2026-03-01'].map(lot),
      ['ATOM 2026-06-01 70 70', 'ATOM 2026-06-01 1 -'],
      ['2026-06-01 60 60 2026-03-01 - - -', '2026-06-01 10 10 2026-03-01 0 10 SHORT', '2026-06-01 1 - too_much - - -'],
    ],
    ['no sale', LOTS, [], []],
    ['no lot', [], ['ATOM 2026-06-01 1 5'], ['2026-06-01 1 5 other_asset - - -']],
  ];

for (const [title, lots, sales, parts] of CASES)
  test(title, () => {
    assert.deepEqual(shown(lots, sales.map(sale)), parts);
  });

const day = fc.integer({ min: 1, max: 28 }).map((one) => `2026-03-${String(one).padStart(2, '0')}`);
const asset = fc.constantFrom('ATOM', 'OSMO');
const cents = fc.option(fc.bigInt(0n, 100_000n), { nil: null });
const lots = fc
  .array(
    fc.record({
      ...{ asset, sent: day, cost: cents, acquired: fc.option(fc.constant('2024-01-05'), { nil: null }) },
      ...{ quantity: fc.bigInt(1n, 90n), share: fc.nat(100) },
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    all
      .map(({ share, ...one }): SentLot => ({ ...one, returned: (one.quantity * BigInt(share)) / 100n }))
      .sort((a, b) => (a.sent < b.sent ? -1 : a.sent > b.sent ? 1 : 0)),
  );
const sales = fc.array(
  fc.record({
    ...{ asset: fc.constantFrom('ATOM', 'OSMO', 'ETH'), sold: day },
    ...{ quantity: fc.bigInt(1n, 90n), proceeds: cents },
  }),
  { maxLength: 8 },
);
const sum = (values: readonly bigint[]) => values.reduce((total, one) => total + one, 0n);

test('parts add up to their sales and lots, no lot is sold before it is sent or twice, and the oldest sends are sold first', () => {
  let matched = 0;
  fc.assert(
    fc.property(lots, sales, (sent, sold) => {
      const parts = matchSales(sent, sold);
      for (const one of sold) {
        const of = parts.filter(({ sale: whole }) => whole === one);
        assert.equal(sum(of.map(({ quantity }) => quantity)), one.quantity);
        if (one.proceeds !== null) assert.equal(sum(of.map(({ proceeds }) => proceeds!)), one.proceeds);
      }
      for (const one of sent) {
        const of = parts.filter(({ lot: whole }) => whole === one);
        const units = sum(of.map(({ quantity }) => quantity));
        matched += of.length;
        assert.ok(units <= one.quantity - one.returned);
        if (one.cost === null) assert.ok(of.every(({ cost, gain }) => cost === null && gain === null));
        else if (units === one.quantity) assert.equal(sum(of.map(({ cost }) => cost!)), one.cost);
      }
      for (const { lot: taken, misfit, sale: whole, quantity } of parts) {
        assert.ok(quantity > 0n && (taken === null) !== (misfit === null));
        if (!taken) continue;
        assert.ok(taken.sent <= whole.sold && taken.asset === whole.asset);
        const earlier = sent.slice(0, sent.indexOf(taken)).filter(({ asset: name }) => name === taken.asset);
        const upTo = parts.slice(
          0,
          parts.findIndex(({ lot: one, sale: by }) => one === taken && by === whole),
        );
        for (const before of earlier)
          assert.equal(
            sum(upTo.filter(({ lot: one }) => one === before).map((part) => part.quantity)),
            before.quantity - before.returned,
          );
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(matched > 3000, `${matched} matched parts`);
});
