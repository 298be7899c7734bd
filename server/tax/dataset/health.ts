/** Values about the dataset that operators monitor: its age, missing prices, and unclassified rows. */
import { daysBetween } from '../../../pipeline/base/values/day.js';
import { currentGeneration, generationDir, readManifest } from '../../../pipeline/publish/generation.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import type { Dataset } from './dataset.js';

/**
 * A dataset is old from this age on. With daily nightly runs, the age stays below one day plus the duration of a run.
 */
const OLD_AFTER_SECONDS = 36 * 3600;

/** Returns the seconds since the dataset's last block; 0 if the clock is behind. */
export const ageOf = ({ time }: { readonly time: string }, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));

export const ageWarning = (seconds: number): string | undefined =>
  seconds > OLD_AFTER_SECONDS
    ? `the last block is ${Math.floor(seconds / 3600)} hours old, more than ${OLD_AFTER_SECONDS / 3600}: nightly runs do not publish newer ones`
    : undefined;

/**
 * Counts the days without a price for each coin in taxable rows. Counting starts at the coin's first price. For the
 * native coin, it starts at the first day of the index. The last day is not counted, because it has not ended.
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

/**
 * Counts rows that no classifier explained, and coin movements that need a reviewed chain act
 * (data/reference/chain-acts.json).
 */
export const unclassifiedRows = ({ unclassified }: Pick<Manifest, 'unclassified'>): number => sumOf(unclassified);

/** Returns 0 for datasets of earlier program versions, which do not have the member `unreviewed_moves`. */
export const unreviewedMoves = ({ unreviewed_moves }: Partial<Pick<Manifest, 'unreviewed_moves'>>): number =>
  sumOf(unreviewed_moves ?? {});

/** Returns a function that reads the current generation's restatements. It reads each manifest only once. */
export function restatementsReader(dataDir: string): () => Manifest['restatements'] {
  let [known, restatements]: [string | undefined, Manifest['restatements']] = [undefined, []];
  return () => {
    const generation = currentGeneration(dataDir);
    if (generation === undefined || generation === known) return restatements;
    try {
      restatements = readManifest(generationDir(dataDir, generation)).restatements;
      known = generation;
    } catch {} // the nightly run or the server already reports an unreadable manifest
    return restatements;
  };
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);
