import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { groupRows } from '../../pipeline/publish/group-rows.js';

test('every key comes once with all its rows, however they are cut into batches', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 7 }), async (lengths, size) => {
      const rows = lengths.flatMap((length, key) => Array.from({ length }, (_, i) => ({ key: `k${key}`, i })));
      const batches = (async function* () {
        for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size);
      })();
      const found: [string, number][] = [];
      for await (const [key, own] of groupRows(batches, (row) => row.key)) {
        assert.ok(own.every((row, i) => row.key === key && row.i === i));
        found.push([key, own.length]);
      }
      assert.deepEqual(
        found,
        lengths.map((length, key) => [`k${key}`, length]),
      );
    }),
    { seed: 20260101, numRuns: 200 },
  );
});
