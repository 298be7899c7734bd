/** Months that are still open: a changed cost of a lot of a closed month changes the entries that use it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../open-database.js';

const TABLES = ['prices', 'exchange_rates', 'priced_events', 'ledger_entries', 'validator_payouts', 'daily_holdings'];
const SIDES = ['before', 'after'] as const;

/** A disposal on a day: the lot's day of acquisition, and cost and proceeds in both generations. */
interface Disposal {
  readonly address: string;
  readonly day: string;
  readonly acquired: string;
  readonly before: readonly [basis: number, proceeds: number];
  readonly after: readonly [basis: number, proceeds: number];
}

const DISPOSALS: readonly Disposal[] = [
  { address: 'closed', day: '2026-01-20', acquired: '2026-01-10', before: [2, 5], after: [3, 5] },
  { address: 'open', day: '2026-02-05', acquired: '2026-01-10', before: [2, 5], after: [3, 5] },
  // Changed costs of the open month's own lots, and changed proceeds, are no restatements.
  { address: 'own lot', day: '2026-02-05', acquired: '2026-02-03', before: [2, 5], after: [3, 5] },
  { address: 'proceeds', day: '2026-02-05', acquired: '2026-01-10', before: [2, 5], after: [2, 6] },
  { address: 'same', day: '2026-01-20', acquired: '2026-01-10', before: [2, 5], after: [2, 5] },
];

const entriesOf = ({ address, day, acquired, ...sides }: Disposal, side: 'before' | 'after') => {
  const [basis, proceeds] = sides[side];
  const slice = `[{held: 'lot', acquired: '${acquired}', quantity: 1, basis_usd: ${basis}, proceeds_usd: ${proceeds}}]`;
  const entry = (leg: string, accounts: string, usd: number, slices: string) =>
    `('${address}', 10, ${leg}, 'e', '${day} 12:00:00+00', ${accounts}, ${usd}, ${slices})`;
  return [
    entry('0', "'Transfers Out', 'Digital Assets: ATOM'", basis, slice),
    entry('1', "'Transfers Out', 'Realized Gain/Loss'", proceeds - basis, 'null'),
  ].join();
};

interface Row {
  readonly address: string;
  readonly month: string;
  readonly text: string;
}

test('an open month restates what follows from the cost of a lot of a closed month, and nothing else', async () => {
  const database = await openDatabase({ threads: 1 });
  try {
    for (const side of SIDES) {
      for (const table of TABLES) await database.attach(table, [], `${table}_${side}`);
      await database.execute(`
        create table entries_${side} as from ledger_entries_${side};
        insert into entries_${side} (address, height, leg, event_id, time, debit_account, credit_account, amount_usd, slices)
          values ${DISPOSALS.map((disposal) => entriesOf(disposal, side))};
        create or replace view ledger_entries_${side} as from entries_${side};
        create view all_entries_${side} as from entries_${side};
      `);
    }
    await database.create('restatements');
    await database.run('tables/restatements', {
      ...{ closed: '2026-02-01', native: 'uatom', derivation: 'share', end: '2026-02-20T00:00:00Z' },
      ...{
        first: 1,
        last: 100,
        holdings_until: 0,
        methodology: false,
        rates_from: '2025-12-24',
        facts: null,
        tracked: false,
        wallets: [],
      },
      ...{ has_loss: false, generation: 'g', now: '2026-02-20T00:00:00Z' },
    });
    const rows = await database.all<Row>(
      `select address, month, concat_ws(' ', what, record, figure, figure_before, figure_after) as text
       from restatements order by address, month, text`,
    );
    const changes = (address: string) => rows.filter((row) => row.address === address);
    const expected = [
      'account Digital Assets: ATOM credit_usd 2.00 3.00',
      'account Realized Gain/Loss credit_usd 3.00 2.00',
      'entry e-0 amount_usd 2.00 3.00',
      'entry e-1 amount_usd 3.00 2.00',
      'lot e-0 2026-01-10 basis_usd 2.00 3.00',
      'position Digital Assets: ATOM cost_basis_usd -2.00 -3.00',
    ];
    assert.deepEqual([...new Set(rows.map(({ address }) => address))], ['closed', 'open']);
    assert.deepEqual(
      changes('open').map(({ month, text }) => `${month} ${text}`),
      expected.map((text) => `2026-02 ${text}`),
    );
    assert.deepEqual(
      changes('closed').map(({ month, text }) => `${month} ${text}`),
      expected.map((text) => `2026-01 ${text}`),
    );
  } finally {
    database.close();
  }
});
