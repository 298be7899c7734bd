/** The coverage of a dataset in the words of answers. */
import type { Coverage, Manifest } from '../../schemas/types.generated.js';
import { toJson } from '../json/exact-json.js';

/** The part of the manifest that tells which blocks a dataset rests on. */
export type DatasetCoverage = Pick<Manifest, 'index_start' | 'index_end' | 'coverage'>;

/** The member `coverage` of answers that list what happened to wallets. */
export function coverageOf({
  index_start,
  index_end,
  coverage: { missing, starting_height },
}: DatasetCoverage): Coverage {
  const gaps = missing.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const blocks =
    gaps.length === 0
      ? `Every block from ${index_start} to ${index_end} is indexed.`
      : `Indexed from ${index_start} to ${index_end} without the blocks ${gaps.join(', ')}: what happened there is missing.`;
  const lots = 'Coins acquired before the index are not represented as lots.';
  const state = starting_height === null ? ["The chain's state before it is not known, so there are no balances."] : [];
  return { index_start, index_end, complete: gaps.length === 0, note: [blocks, lots, ...state].join(' ') };
}

const texts = new WeakMap<Coverage, string>();

/** Gives the coverage as JSON text, which is made once for all wallets of a dataset. */
export function coverageJson(coverage: Coverage): string {
  let text = texts.get(coverage);
  if (text === undefined) {
    text = toJson(coverage);
    texts.set(coverage, text);
  }
  return text;
}
