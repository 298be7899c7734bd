/** The gains that each changed price of closed months explains. Together they are the change of all gains. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSql } from '../../pipeline/base/duckdb/database.js';
import { openDatabase } from '../open-database.js';

const RGL = 'Realized Gain/Loss';
type Side = 'before' | 'after';

/** One day's disposal: [acquired, basis, proceeds] of its only slice, and the day's category and denoms. */
interface Disposal {
  readonly id: string;
  readonly day: string;
  readonly denom: string;
  readonly category: string;
  readonly received?: string;
  readonly acquired: string | null;
  readonly before: readonly [basis: number | null, proceeds: number | null];
  readonly after: readonly [basis: number | null, proceeds: number | null];
  /** Day of a refund in a closed month. */
  readonly refunded?: string;
}

const text = (value: string | number | null | undefined) => (value == null ? 'null::varchar' : `'${value}'`);
const time = (day: string) => `'${day} 12:00:00+00'`;

function entries({ id, day, denom, category, acquired, refunded, ...sides }: Disposal): string[] {
  return (['before', 'after'] as const).flatMap((side: Side) => {
    const [basis, proceeds] = sides[side];
    const slice = (paid: number | null) =>
      `[{held: 'lot', acquired: ${text(acquired)}::date, quantity: 1, basis_usd: ${text(basis)}::decimal(38, 2), proceeds_usd: ${text(paid)}::decimal(38, 2)}]`;
    const entry = (leg: string, event: string, on: string, act: string, reverses: string | null, rest: string) =>
      `('${side}', 'w', '${event}', ${leg}, '${act}', '${denom}', ${time(on)}, '${category}', ${text(reverses)}, ${rest})`;
    const gain = basis === null || proceeds === null ? null : proceeds - basis;
    const booked = (sign: number) => {
      const up = gain! * sign >= 0;
      return `${up ? "'Out'" : `'${RGL}'`}, ${up ? `'${RGL}'` : "'Out'"}, ${Math.abs(gain!)}, null`;
    };
    const back = refunded ? [entry('0', `${id}r`, refunded, 'restore', id, `'DA', 'Out', 0, ${slice(null)}`)] : [];
    return [
      entry('0', id, day, 'dispose', null, `'Out', 'DA', ${basis ?? 0}, ${slice(proceeds)}`),
      ...(gain === null ? [] : [entry('1', id, day, 'gain', null, booked(1))]),
      ...back,
      ...(gain === null || !refunded ? [] : [entry('1', `${id}r`, refunded, 'gain', id, booked(-1))]),
    ];
  });
}

const rows = ({ id, day, denom, category, received }: Disposal): string[] =>
  ['before', 'after'].map(
    (side) => `('${side}', 'w', '${id}', ${time(day)}, '${category}', '${denom}', ${text(received)}, ${text(null)})`,
  );

const QUOTED: readonly (readonly [denom: string, day: string])[] = [
  ['uatom', '2026-01-10'],
  ['uosmo', '2026-01-10'],
  ['uatom', '2026-01-20'],
  ['uatom', '2026-01-25'],
];

const atom = { denom: 'uatom', category: 'transfer_out' };
const cases: readonly [title: string, disposal: Disposal, gains: readonly number[]][] = [
  [
    'proceeds',
    { ...atom, id: 'a', day: '2026-01-20', acquired: '2025-11-01', before: [1, 5], after: [1, 8] },
    [0, 0, 3, 0],
  ],
  [
    'proceeds and basis',
    { ...atom, id: 'a', day: '2026-01-20', acquired: '2026-01-10', before: [1, 5], after: [3, 9] },
    [-2, 0, 4, 0],
  ],
  [
    'a price that was missing at the disposal',
    { ...atom, id: 'a', day: '2026-01-20', acquired: '2025-11-01', before: [1, null], after: [1, 8] },
    [0, 0, 7, 0],
  ],
  [
    'a price that was missing at the acquisition',
    { ...atom, id: 'a', day: '2026-01-20', acquired: '2026-01-10', before: [null, 5], after: [2, 5] },
    [3, 0, 0, 0],
  ],
  [
    'a price that is gone',
    { ...atom, id: 'a', day: '2026-01-20', acquired: '2026-01-10', before: [2, 5], after: [null, 5] },
    [-3, 0, 0, 0],
  ],
  [
    'a payment and its refund',
    {
      ...atom,
      id: 'a',
      day: '2026-01-20',
      acquired: '2025-11-01',
      before: [1, 5],
      after: [1, 8],
      refunded: '2026-01-25',
    },
    [0, 0, 0, 0],
  ],
  [
    'another coin on the same day',
    { ...atom, denom: 'uosmo', id: 'a', day: '2026-01-10', acquired: '2025-11-01', before: [1, 5], after: [1, 6] },
    [0, 1, 0, 0],
  ],
  [
    'a swap, valued by what was received',
    {
      id: 'a',
      day: '2026-01-10',
      denom: 'uatom',
      category: 'swap',
      received: 'uosmo',
      acquired: '2025-11-01',
      before: [1, 5],
      after: [1, 9],
    },
    [0, 4, 0, 0],
  ],
  [
    'a share of a validator',
    {
      ...atom,
      denom: 'cosmosvaloper1x/1',
      id: 'a',
      day: '2026-01-25',
      acquired: '2025-11-01',
      before: [1, 5],
      after: [1, 7],
    },
    [0, 0, 0, 2],
  ],
];

for (const [title, disposal, expected] of cases) {
  test(title, async () => {
    const database = await openDatabase({ threads: 1 });
    try {
      await database.execute(`
        create table restated_rates (day date, currency varchar, rate_before decimal(38, 6), rate_after decimal(38, 6), cause varchar);
        create table restated_prices as from (values ${QUOTED.map(([denom, day]) => `('${denom}', '${day}'::date, 1::decimal(38, 6), 2::decimal(38, 6), false, 'quote')`)})
          as t(denom, day, usd_before, usd_after, derived, cause);
        create table restated_entries as from (values ${entries(disposal)})
          as t(side, address, event_id, leg, act, denom, time, category, reverses, debit_account, credit_account, amount_usd, slices);
        alter table restated_entries alter time type timestamptz;
        alter table restated_entries alter amount_usd type decimal(38, 2);
        create table restated_rows as from (values ${rows(disposal)})
          as t(side, address, id, time, category, sent_denom, received_denom, fee_denom);
        alter table restated_rows alter time type timestamptz;
      `);
      await database.create('restatements');
      const lines = await database.all<{ rank: number; gains: string }>(readSql('tables/restatement_lines'));
      const gains = lines.filter(({ rank }) => rank === 0).map((line) => Number(line.gains));
      assert.deepEqual(gains, [expected[0], expected[2], expected[3], expected[1]]);
      assert.equal(
        Number(lines.at(-1)!.gains),
        expected.reduce((sum, gain) => sum + gain, 0),
      );
    } finally {
      database.close();
    }
  });
}
