import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LookupCache } from '../../../../server/people/store/lookup-cache.js';

/** Rows by name, and how often they were looked up. */
function lookups(lifetimeMs = 60_000) {
  const rows = new LookupCache(lifetimeMs);
  let count = 0;
  const find = (name: string, { found = true, least = 0 } = {}) =>
    rows
      .find(
        name,
        async () => (found ? [{ value: ++count }] : []),
        (row?: { value: number }) => row !== undefined && row.value >= least,
      )
      .then((row) => row?.value);
  return { rows, find };
}

test('a row is looked up once within its lifetime, and again after it', async () => {
  const { find } = lookups();
  assert.deepEqual([await find('a'), await find('a'), await find('b'), await find('a')], [1, 1, 2, 1]);
  const { find: findShortly } = lookups(50);
  assert.equal(await findShortly('a'), 1);
  await wait(100);
  assert.equal(await findShortly('a'), 2);
});

test('what was changed is looked up again at once', async () => {
  const { rows, find } = lookups();
  assert.equal(await find('a'), 1);
  rows.forget('a');
  assert.equal(await find('a'), 2);
});

test('after a transaction every row is looked up again, one that is being looked up as well', async () => {
  const { rows, find } = lookups();
  assert.equal(await find('a'), 1);
  const underWay = find('b');
  rows.clear();
  assert.deepEqual([await underWay, await find('b'), await find('a')], [2, 3, 4]);
});

test('what is not there is not kept', async () => {
  const { find } = lookups();
  assert.equal(await find('a', { found: false }), undefined);
  assert.equal(await find('a'), 1);
});

test('what does not fit is looked up again, and not kept', async () => {
  const { find } = lookups();
  assert.equal(await find('a'), 1);
  assert.equal(await find('a', { least: 9 }), undefined);
  assert.deepEqual([await find('a'), await find('a', { least: 3 }), await find('a')], [1, 3, 3]);
});

test('what is changed while it is looked up is not kept', async () => {
  const { rows, find } = lookups();
  const underWay = find('a');
  rows.forget('a');
  assert.equal(await underWay, 1);
  assert.equal(await find('a'), 2);
});
