/** Price gaps: days of the index without a published price, of coins that wallets were taxed on. */
import { daysBetween } from '../../pipeline/ledger/day.js';
import type { Dataset } from './dataset.js';

/**
 * Counts the days of the index without a price of each known coin of taxable rows: of the chain's own coin from the first day on, of
 * another one not before its first price. The last day of the index has not closed, so that its price is not missing yet.
 * @returns days by denom; 0 for a coin without gaps, and no entry for one that never had a price
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
