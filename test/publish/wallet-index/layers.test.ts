import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupMonths } from '../../../pipeline/publish/wallet-index/layers.js';

/** Months from January 2023 on. */
const months = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${2023 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`);

/** The layers while the last of so many months is open. */
function layers(count: number, rowsOfMonth: number, smallLayerRows: number): string[] {
  const all = months(count);
  const closed = all.slice(0, -1);
  const rows = closed.map(() => rowsOfMonth);
  return groupMonths(closed, rows, all.at(-1)!, smallLayerRows).map((group) => `${group[0]} ${group.length}`);
}

test('years, quarters of the open year and months of the open quarter are layers', () => {
  assert.deepEqual(layers(2, 10, 1), ['2023-01 1']);
  assert.deepEqual(layers(3, 10, 1), ['2023-01 1', '2023-02 1']);
  assert.deepEqual(layers(4, 10, 1), ['2023-01 3']);
  assert.deepEqual(layers(36, 10, 1), [
    '2023-01 12',
    '2024-01 12',
    '2025-01 3',
    '2025-04 3',
    '2025-07 3',
    '2025-10 1',
    '2025-11 1',
  ]);
  assert.deepEqual(layers(37, 10, 1), ['2023-01 12', '2024-01 12', '2025-01 12']);
});

test('months with few rows share a layer', () => {
  assert.deepEqual(layers(36, 10, 350), ['2023-01 35']);
  assert.deepEqual(layers(36, 10, 240), ['2023-01 24', '2025-01 11']);
  assert.deepEqual(layers(36, 10, 60), ['2023-01 12', '2024-01 12', '2025-01 6', '2025-07 5']);
});

test('a month that closes leaves the layers of closed years, and rewrites 2.4 months on average', () => {
  let written = 0;
  let before: string[] = [];
  for (let count = 2; count <= 37; count++) {
    const now = layers(count, 10, 1);
    const made = now.filter((layer) => !before.includes(layer));
    written += made.reduce((sum, layer) => sum + Number(layer.split(' ')[1]), 0);
    for (const layer of before.filter((one) => one.endsWith(' 12'))) assert.ok(now.includes(layer));
    assert.ok(made.length === 1, `${count} months: ${made}`);
    assert.ok(now.length <= 8);
    before = now;
  }
  assert.equal(written, 87); // with one layer of all closed months it would be 666
});
