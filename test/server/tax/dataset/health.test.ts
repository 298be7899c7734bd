/** The age of a dataset with its warning, and days without a price, which count only where a price was due. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../../pipeline/reference.js';
import { ageOf, ageWarning, daysWithoutPrice } from '../../../../server/tax/dataset/health.js';
import { Prices } from '../../../../server/tax/dataset/wallet-cache.js';
import { manifest, OTHER_DENOMS } from '../../published.js';

const dataset = { time: '2026-04-14T12:00:00Z' };

test('a dataset is old from a day and a half on, and never younger than its last block', () => {
  assert.equal(ageOf(dataset, new Date('2026-04-14T12:00:01.999Z')), 1);
  assert.equal(ageOf(dataset, new Date('2026-04-14T11:00:00Z')), 0);
  assert.equal(ageWarning(129_600), undefined);
  assert.match(ageWarning(129_601)!, /^the last block is 36 hours old, more than 36: /);
});

const { usdc, unknown } = OTHER_DENOMS;
const reference = loadReference();

/** Gaps of an index from 1 to 6 March. @param prices priced days of March by denom */
function gaps(prices: Readonly<Record<string, readonly number[]>>, taxed: readonly string[]) {
  const { price_coverage } = manifest('', 1);
  const denoms = taxed.map((denom) => ({ denom, coverage: price_coverage.total }));
  const found = daysWithoutPrice({
    manifest: { ...manifest('', 1), price_coverage: { ...price_coverage, denoms } },
    reference,
    indexStart: '2026-03-01',
    indexEnd: '2026-03-06',
    prices: (denom) => new Prices((prices[denom] ?? []).map((day) => [`2026-03-0${day}`, 1n])),
  });
  return Object.fromEntries(found);
}

test('the last day of the index is not over, so its price is not due', () => {
  assert.deepEqual(gaps({ uatom: [1, 2, 3, 4, 5] }, ['uatom']), { uatom: 0 });
  assert.deepEqual(gaps({ uatom: [1, 2, 3, 4, 5, 6] }, ['uatom']), { uatom: 0 });
  assert.deepEqual(gaps({ uatom: [1, 2, 5] }, ['uatom']), { uatom: 2 });
});

test("the chain's own coin is due from the first day on, though it never had a price or was taxed", () => {
  assert.deepEqual(gaps({}, []), { uatom: 5 });
  assert.deepEqual(gaps({ uatom: [4, 5] }, []), { uatom: 3 });
});

test('another coin is due from its first price on, if it is known and was taxed', () => {
  const atom = { uatom: [1, 2, 3, 4, 5] };
  assert.deepEqual(gaps({ ...atom, [usdc]: [3, 5] }, [usdc]), { uatom: 0, [usdc]: 1 });
  assert.deepEqual(gaps({ ...atom, [usdc]: [6] }, [usdc]), { uatom: 0, [usdc]: 0 });
  assert.deepEqual(gaps({ ...atom, [usdc]: [3, 5] }, []), { uatom: 0 });
  assert.deepEqual(gaps(atom, [usdc]), { uatom: 0 });
  assert.deepEqual(gaps({ ...atom, [unknown]: [3, 5] }, [unknown]), { uatom: 0 });
});
