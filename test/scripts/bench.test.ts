import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../pipeline/config.js';
import { median } from '../../scripts/bench/measured.js';
import { bench, formatTable } from '../../scripts/bench.js';

test('the median of an even number of figures is the mean of the middle two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test('the table stands in columns and shows a ratio where there is something beside', () => {
  const table = formatTable([
    { what: 'night', figure: 3, unit: 'ms', against: { what: 'parsing', figure: 2 } },
    { what: 'replay', figure: 512_345.6, unit: 'events/s' },
  ]);
  assert.equal(table, 'night               3 ms  2 ms  1.5 ×  against parsing\nreplay  512,346 events/s');
});

test('every figure of a short run is a positive number', async (context) => {
  const said = context.mock.method(console, 'log', () => {});
  const measures = await bench(readConfig({}), { rounds: 1, milliseconds: 50 });
  assert.equal(measures.length, 8);
  for (const { what, figure, against } of measures) {
    // The slope of a single short round may drown in noise; everything else is a plain quantity.
    if (what !== 'night, a block more') assert.ok(figure > 0 && (against?.figure ?? 1) > 0, what);
  }
  assert.equal(said.mock.calls.length, 1);
});
