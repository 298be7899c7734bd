/** A broker's table of sales, as people paste it, and what the page answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransferredLot } from '../../../../schemas/types.generated.js';
import { answeredSales, csvOf } from '../../../../server/web/values/broker.js';
import { pastedSales } from '../../../../server/web/values/pasted-table.js';

const LOT: TransferredLot = {
  ...{ address: 'cosmos1a', row: '1-0-a', date: '2026-03-01', tx_hash: 'AB', receiver: 'cosmos1b', symbol: 'ATOM' },
  ...{ denom: 'uatom', quantity: '60', acquired: '2024-01-05', cost_basis_usd: '120.00', returned: '10' },
};

const TABLES: readonly [title: string, table: string][] = [
  ['without headings', 'ATOM,50,2026-06-01,1000.50'],
  ['boxes of the form', '1b Name\t1c Number of units\t1e Date sold\t1f Proceeds\nATOM\t50\t6/1/2026\t$1,000.50\n'],
  [
    'many columns in another order',
    'Date acquired;Date sold;Proceeds (USD);Cost basis (USD);Asset;Units\n01/05/2024;06/01/2026;1000.5;;Cosmos (ATOM);50.0',
  ],
  [
    'a title above the headings, and a note',
    'Sales of 2026\nProceeds,Units,Asset,Date sold,Note\n1000.50,50,ATOM,6/1/2026,a; b',
  ],
  ['only boxes as headings', 'Box 1a;Box 1b;Box 1c;Box 1d;Box 1e;Box 1f\n9999;ATOM;50;01/05/2024;06/01/2026;1000.50'],
  ['words beside the amounts', 'Coin\tQuantity\tSold on\tGross proceeds\natom\t50 ATOM\tJun 1, 2026\tUSD 1000.50'],
];

for (const [title, table] of TABLES)
  test(`reads sales ${title}`, () => {
    const { lines, ambiguous } = pastedSales(table, 'month-first');
    assert.equal(ambiguous, '');
    const { parts, faults } = answeredSales([LOT], lines);
    assert.deepEqual(faults, []);
    assert.deepEqual(parts, [
      {
        ...{
          asset: 'ATOM',
          quantity: '50',
          sold: '2026-06-01',
          acquired: '2024-01-05',
          sent: '2026-03-01',
          txHash: 'AB',
        },
        ...{ proceeds: '1000.50', cost: '100.00', gain: '900.50', term: 'long', misfit: '' },
      },
    ]);
  });

test('asks for the order of month and day', () => {
  assert.equal(pastedSales('ATOM,50,6/1/2026,1').ambiguous, '6/1/2026');
  assert.equal(pastedSales('ATOM,50,6/1/2026,1\nATOM,1,6/13/2026,1').lines[0]!.day, '2026-06-01');
});

test('unreadable lines are named, and unknown proceeds stay unknown', () => {
  const { lines } = pastedSales('ATOM,1.2.3,2026-06-01,1\nATOM,5,soon,1\nATOM,5,2026-06-01,1-2\nATOM,5,2026-06-01,\n');
  const { parts, faults } = answeredSales([LOT], lines);
  assert.deepEqual(faults, [
    'Line 1: 1.2.3 is not a quantity.',
    'Line 2: soon is not a day.',
    'Line 3: 1-2 is not an amount.',
  ]);
  assert.deepEqual(
    parts.map(({ quantity, proceeds, cost, gain }) => [quantity, proceeds, cost, gain]),
    [['5', '', '10.00', '']],
  );
});

/** Wrong figures would follow from these lines if the rest of a cell or line were left out. */
const UNREADABLE: readonly [table: string, fault: string][] = [
  ['ATOM,5,2026-06-01,$1,234.56', 'it has more cells than columns; put an amount such as "1,234.56" in quotes'],
  [
    'Asset,Units,Sold,Proceeds\nATOM,5,2026-06-01,1,234',
    'it has more cells than columns; put an amount such as "1,234.56" in quotes',
  ],
  ['ATOM,5k,2026-06-01,1', '5k is not a quantity'],
  ['ATOM,1E3,2026-06-01,1', '1E3 is not a quantity'],
  ['ATOM,5,2026-06-01,1.2K', '1.2K is not an amount'],
  ['ATOM,5,2026-06-01,10 EUR', '10 EUR is not an amount'],
  ['ATOM,5,2026-06-01,CA$10', 'CA10 is not an amount'],
  ['Asset,Units,Sold,Proceeds (EUR)\nATOM,5,2026-06-01,10', '10 in Proceeds (EUR) is not an amount'],
  ['ATOM,,2026-06-01,10', 'a quantity is missing'],
];

for (const [table, fault] of UNREADABLE)
  test(`refuses ${table.split('\n').at(-1)}: ${fault}`, () => {
    const { parts, faults } = answeredSales([LOT], pastedSales(table).lines);
    assert.deepEqual([parts, faults], [[], [`Line ${table.split('\n').length}: ${fault}.`]]);
  });

test('proceeds without a digit are unknown', () => {
  const { lines } = pastedSales('ATOM,1,2026-06-01,N/A\nATOM,1,2026-06-01,--\nATOM,1,2026-06-01,Not reported');
  const { parts, faults } = answeredSales([LOT], lines);
  assert.deepEqual([parts.map(({ proceeds }) => proceeds), faults], [['', '', ''], []]);
});

test('the file is a table that no spreadsheet runs', () => {
  const { lines } = pastedSales('"=HYPERLINK(""x"")",5,2026-06-01,1\nATOM,5,2026-06-01,1\n');
  const file = csvOf(answeredSales([LOT], lines).parts)
    .trimEnd()
    .split('\n');
  assert.match(file[1]!, /^"'=HYPERLINK\(""x""\)",5,2026-06-01,,,,1\.00,,,,You sent no such coin there$/);
  assert.equal(file[2], 'ATOM,5,2026-06-01,2024-01-05,2026-03-01,AB,1.00,10.00,-9.00,long,');
});
