import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable } from '../../../scripts/bench/table.js';

test('the table is aligned, with ratios beside their figures', () => {
  const table = formatTable([
    { what: 'night', figure: 3, unit: 'ms', against: [{ what: 'parsing', figure: 2 }] },
    { what: 'replay', figure: 512_345.6, unit: 'events/s' },
    {
      what: 'request',
      figure: 50,
      unit: 'answers/s',
      against: [
        { what: 'Koa', figure: 100 },
        { what: 'nothing', figure: 200 },
      ],
    },
  ]);
  assert.equal(
    table,
    [
      'night                3 ms  1.5 × parsing (2)',
      'replay   512,346 events/s',
      'request      50 answers/s  0.5 × Koa (100)    0.25 × nothing (200)',
    ].join('\n'),
  );
});

test('a line shows its target and whether it misses it', () => {
  const against = [
    { what: 'Koa', figure: 100 },
    { what: 'nothing', figure: 1000 },
  ];
  const endOf = (table: string) => table.split('wanted ')[1];
  const slow = { what: 'request', figure: 50, unit: 'answers/s', against };
  assert.equal(endOf(formatTable([{ ...slow, target: { ratio: 0.5 } }])), '≥ 0.5 ×');
  assert.equal(endOf(formatTable([{ ...slow, target: { ratio: 0.6 } }])), '≥ 0.6 ×: missed');
  const wait = { what: 'wait', figure: 20, unit: 'ms' };
  assert.equal(endOf(formatTable([{ ...wait, target: { atMost: 20 } }])), '≤ 20 ms');
  assert.equal(endOf(formatTable([{ ...wait, target: { atMost: 19 } }])), '≤ 19 ms: missed');
});
