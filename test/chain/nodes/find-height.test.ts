import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckedSource } from '../../../pipeline/chain/checked-source.js';
import { firstHeight, firstHeightOfDay, lastHeight } from '../../../pipeline/chain/nodes/find-height.js';
import { ConfigError } from '../../../pipeline/config-error.js';
import { CHAIN_ID, recording, sampleLines } from '../sample.js';

const unchecked = recording();
const sample = new CheckedSource(unchecked, { chainId: CHAIN_ID, now: Date.now });

/** The day of each height, looked up without the code under test. */
const days = sampleLines.map((line) => /"time":"(\d{4}-\d\d-\d\d)T/.exec(line)?.[1] ?? '');
const countBefore = (day: string) => days.filter((other, height) => height > 0 && other < day).length;

/** A source that has nothing below a height, as a pruned node. */
function pruned(earliest: number): CheckedSource {
  const source = {
    status: async () => ({ ...(await unchecked.status()), earliest }),
    records(from: number, to: number) {
      assert.ok(from >= earliest, `asked for ${from}`);
      return unchecked.records(from, to);
    },
  };
  return new CheckedSource(source, { chainId: CHAIN_ID, now: Date.now });
}

test('the first height of any day, by binary search', async () => {
  for (const day of [
    '2020-01-01',
    '2025-12-28',
    '2025-12-31',
    '2026-01-15',
    '2026-02-28',
    '2026-04-15',
    '2026-04-16',
  ]) {
    assert.equal(await firstHeightOfDay(sample, day, 1, 1000), countBefore(day) + 1, day);
  }
  assert.equal(await firstHeightOfDay(sample, '2026-01-15', 1, 20), 21);
  assert.equal(await firstHeightOfDay(sample, '2020-01-01', 300, 400), 300);
});

const first = (source: CheckedSource, indexStart: string, earliest: number, stored?: number) =>
  firstHeight({ source, indexStart }, { chainId: '', earliest, latest: 1000 }, stored);

test('the index begins with the first block of its first day, or of the chain', async () => {
  const start = countBefore('2025-12-31') + 1;
  assert.equal(await first(sample, '2025-12-31', 1), start);
  assert.equal(await first(sample, '2025-12-31', 1, start), start);
  assert.equal(await first(sample, '2025-12-31', 1, start + 50), start);
  assert.equal(await first(sample, '2025-12-31', 1, 2), start);
  assert.equal(await first(sample, '2024-01-01', 1), 1);
  assert.equal(await first(sample, '2027-01-01', 1), 1001);
});

test('a node that does not reach back to the first day cannot say where it begins', async () => {
  await assert.rejects(
    first(pruned(300), '2025-12-31', 300),
    (error) =>
      error instanceof ConfigError && error.message.startsWith(`the node's blocks begin at height 300 on ${days[300]}`),
  );
  assert.equal(await first(pruned(300), '2025-12-31', 300, 20), 20);
  assert.equal(await first(pruned(300), days[300]!, 300), 300);
});

test('the last height: the latest, a height, or the last of a day', async () => {
  const status = { chainId: '', earliest: 1, latest: 1000 };
  const last = (until?: number | string, stored?: number) => lastHeight({ source: sample, until }, status, 10, stored);
  assert.deepEqual([await last(), await last(400), await last(2000)], [1000, 400, 1000]);
  assert.deepEqual(
    [await last(undefined, 1200), await last(1100, 1200), await last(undefined, 900)],
    [1200, 1100, 1000],
  );
  assert.equal(await last('2026-01-31', 1200), countBefore('2026-02-01'));
  assert.equal(await last('2026-12-31', 1200), 1000);
  assert.equal(await last('2020-12-31'), 9);
});
