import { daysBetween } from '../../../pipeline/base/values/day.js';
import type { Dataset } from './dataset.js';

/**
 * Counts days without a price for each coin in taxable rows. Starts with the coin's first price, or for the native coin
 * with the first day of the index. Omits the last day, which has not ended.
 */
export function daysWithoutPrice(
  dataset: Pick<Dataset, 'manifest' | 'reference' | 'prices' | 'indexStart' | 'indexEnd'>,
): ReadonlyMap<string, number> {
  const { manifest, reference, indexStart, indexEnd } = dataset;
  const native = reference.chain.native_denom;
  const taxed = new Set(manifest.price_coverage.denoms.map(({ denom }) => denom)).add(native);
  const gaps = new Map<string, number>();
  for (const { denom } of reference.assets) {
    if (!taxed.has(denom)) continue;
    const priced = [...dataset.prices(denom).keys()];
    const [earliest] = priced;
    const first = denom === native || (earliest && earliest < indexStart) ? indexStart : earliest;
    if (first === undefined) continue;
    gaps.set(denom, daysBetween(first, indexEnd) - priced.filter((day) => day >= first && day < indexEnd).length);
  }
  return gaps;
}
