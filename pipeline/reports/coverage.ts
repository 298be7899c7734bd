/** The coverage of a dataset in the words of answers. */
import type { Coverage, HoldingsStop, Manifest } from '../../schemas/types.generated.js';

/** The part of the manifest that tells which blocks a dataset rests on. */
export type DatasetCoverage = Pick<
  Manifest,
  'index_start' | 'index_end' | 'coverage' | 'holdings_until' | 'holdings_stop'
>;

/** The member `coverage` of answers that list what happened to wallets. */
export function coverageOf({
  index_start,
  index_end,
  coverage: { missing, starting_height },
  holdings_until,
  holdings_stop,
}: DatasetCoverage): Coverage {
  const gaps = missing.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const blocks =
    gaps.length === 0
      ? `Every block from ${index_start} to ${index_end} is indexed.`
      : `Indexed from ${index_start} to ${index_end} without the blocks ${gaps.join(', ')}: what happened there is missing.`;
  const lots = 'Coins acquired before the index are not represented as lots.';
  const state = starting_height === null ? ["The chain's state before it is not known, so there are no balances."] : [];
  const holdings = holdings_stop === null ? [] : [partialNote(holdings_until, holdings_stop)];
  const note = [blocks, lots, ...state, ...holdings].join(' ');
  return { index_start, index_end, complete: gaps.length === 0, holdings_until, note };
}

/** The note of a dataset whose fold stopped: how far holdings are proved, why they end there, and what is missing after that. */
const partialNote = (until: Manifest['holdings_until'], { reason }: HoldingsStop): string =>
  `Balances and stakes are proved up to block ${until} and end there, because the next one is not explained (${reason}). After ` +
  'it there are no rows of losses by slashes, and tokenized shares are priced at the last proved rate.';
