import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapConcurrently } from '../../../../server/web/values/in-lanes.js';

const ITEMS = Array.from({ length: 20 }, (_, i) => i);
const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

test('four items are worked on at a time, and results stand in their order', async () => {
  let open = 0;
  let most = 0;
  const doubled = await mapConcurrently(ITEMS, async (item) => {
    most = Math.max(most, ++open);
    await soon();
    open--;
    return 2 * item;
  });
  assert.equal(most, 4);
  assert.deepEqual(
    doubled,
    ITEMS.map((item) => 2 * item),
  );
  assert.deepEqual(await mapConcurrently([], soon), []);
});

test('after a failure nothing is begun', async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await soon();
    if (item === 5) throw new Error('refused');
  };
  await assert.rejects(mapConcurrently(ITEMS, work), /refused/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(begun.length <= 9, begun.join());
});
