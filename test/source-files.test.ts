import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circles } from './source-files.js';

test('circles are found with all their files, and chains are none', () => {
  const imports = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['f'], f: ['e'], g: ['a', 'outside'] };
  const covered = Object.entries(imports).map(([path, others]) => ({ path, imports: others }));
  assert.deepEqual(
    circles(covered).map((circle) => circle.sort()),
    [
      ['e', 'f'],
      ['a', 'b', 'c'],
    ],
  );
  assert.deepEqual(circles(covered.filter(({ path }) => path !== 'c' && path !== 'f')), []);
});
