import type { Coverage, HoldingsStop, Manifest, OversizedToken, OwnWallet } from '../../../schemas/types.generated.js';
import { firstIndex } from '../../base/values/first-index.js';

export type DatasetCoverage = Pick<
  Manifest,
  | 'index_start'
  | 'index_end'
  | 'coverage'
  | 'holdings_from'
  | 'holdings_until'
  | 'holdings_stop'
  | 'price_gaps'
  | 'unreached_prices'
  | 'own_wallets'
>;

export type CoveredDataset = DatasetCoverage &
  Pick<Manifest, 'generation' | 'height' | 'time'> &
  Partial<Pick<Manifest, 'oversized'>>;

/**
 * Returns the height of the opening holdings; null if there is no starting state. The height is that of the block
 * before the index, or that of the starting state if it is later.
 */
export const openingHeight = ({
  first_height,
  starting_height,
}: Pick<Manifest['coverage'], 'first_height' | 'starting_height'>): number | null =>
  starting_height === null ? null : Math.max(first_height - 1, starting_height);

/** A requested time range. `start` and `end` are as requested, or null; `from` and `to` are YYYY-MM-DD HH:MM:SS. */
export interface TimeRange {
  readonly start: string | null;
  readonly end: string | null;
  readonly from: string;
  readonly to: string;
}

export const WHOLE_INDEX: TimeRange = { start: null, end: null, from: '', to: '' };

/**
 * Returns which part of a requested range is indexed, and whether the replay has finished (decision A13). The last
 * indexed day is covered up to its last block.
 * @param isReplayed false if another program version computed the dataset
 */
export function coverageOf(
  dataset: CoveredDataset,
  range: TimeRange,
  addresses?: readonly string[],
  isReplayed = true,
): Coverage {
  const { index_start, index_end, generation, height, holdings_from, holdings_until } = dataset;
  const { first, last } = indexBounds(dataset);
  const from = range.start !== null && range.from > first ? range.from : first;
  const to = range.end !== null && range.to < last ? range.to : last;
  const isEmpty = from > to;
  const tracked = dataset.own_wallets?.filter(({ address }) => addresses?.includes(address) ?? true);
  const oversized = (dataset.oversized ?? []).filter(
    ({ addresses: moved }) => !moved || !addresses || moved.some((address) => addresses.includes(address)),
  );
  const isWhole = dataset.coverage.missing.length === 0 && !tracked?.some(({ state }) => state === 'incomplete');
  return {
    index_start,
    index_end,
    complete: isWhole && isReplayed,
    range_complete:
      isWhole &&
      !isEmpty &&
      isCovered(dataset, range.start === null ? first : range.from, range.end === null ? last : range.to),
    covered_from: isEmpty ? null : instantOf(from),
    covered_to: isEmpty ? null : instantOf(to),
    generation,
    height,
    holdings_from,
    holdings_until,
    note: [noteOf(dataset, range, tracked), ...(oversized.length > 0 ? [oversizedNote(oversized)] : [])].join(' '),
  };
}

export function isCovered(
  dataset: Pick<CoveredDataset, 'index_start' | 'time' | 'coverage'>,
  from: string,
  to: string,
): boolean {
  const { first, last } = indexBounds(dataset);
  return dataset.coverage.missing.length === 0 && from >= first && to <= last;
}

export const indexBounds = ({ index_start, time }: Pick<CoveredDataset, 'index_start' | 'time'>) => ({
  first: `${index_start} 00:00:00`,
  last: `${time.slice(0, 10)} ${time.slice(11, 19)}`,
});

const instantOf = (second: string) => `${second.replace(' ', 'T')}Z`;

function noteOf(
  dataset: CoveredDataset,
  { start, end, from, to }: TimeRange,
  tracked: readonly OwnWallet[] | undefined,
): string {
  const { index_start, index_end, time, holdings_from, holdings_until, holdings_stop } = dataset;
  const { price_gaps = [], unreached_prices = [] } = dataset;
  const { missing, first_height, starting_height } = dataset.coverage;
  const asked = { from: start === null ? '' : from.slice(0, 10), to: end === null ? LAST_DAY : to.slice(0, 10) };
  const lacking = withinDays(price_gaps, asked);
  const unreached = withinDays(unreached_prices, asked);
  const { first, last } = indexBounds(dataset);
  const gaps = missing.map((gap) => (gap.from === gap.to ? `${gap.from}` : `${gap.from} to ${gap.to}`));
  return [
    tracked
      ? `Indexed from ${index_start} to ${index_end}: blocks in which nodes' search indexes find these wallets.`
      : gaps.length === 0
        ? `Every block from ${index_start} to ${index_end} is indexed.`
        : `Indexed from ${index_start} to ${index_end} except blocks ${gaps.join(', ')}; their events are missing.`,
    ...(start !== null && from < first ? [`The requested time before ${index_start} is not indexed.`] : []),
    ...(end !== null && to > last ? [`The requested time after ${time} is not indexed.`] : []),
    ...(tracked ?? []).flatMap(walletNotes),
    'Coins acquired before the index are not represented as lots.',
    ...(starting_height === null ? ["The chain's state before the index is unknown, so there are no balances."] : []),
    ...(holdings_from !== null && holdings_from > first_height ? [laterNote(holdings_from)] : []),
    ...(holdings_stop === null ? [] : [partialNote(holdings_until, holdings_stop)]),
    ...(lacking.length > 0 ? [`Price files lack days that others have: ${gapsNote(lacking)}.`] : []),
    ...(unreached.length > 0 ? [unreachedNote(unreached)] : []),
  ].join(' ');
}

const LAST_DAY = '9999-12-31';

/** Returns the entries with days in a range, each with these days alone. */
const withinDays = <Entry extends { readonly days: readonly string[] }>(
  entries: readonly Entry[],
  { from, to }: { readonly from: string; readonly to: string },
): Entry[] =>
  entries.flatMap((entry) => {
    const first = firstIndex(entry.days, (day) => day >= from);
    const days = entry.days.slice(
      first,
      firstIndex(entry.days, (day) => day > to, first),
    );
    return days.length > 0 ? [{ ...entry, days }] : [];
  });

function walletNotes({ address, state, opening, missing, unconfirmed }: OwnWallet): string[] {
  if (state === 'incomplete') return [`Something is missing of ${address}: ${missing.join('; ')}.`];
  if (state === 'complete')
    return [`No row of ${address} is missing, but it is not confirmed: ${unconfirmed.join('; ')}.`];
  if (opening !== 'computed') return [];
  return [`What ${address} held before the index is computed back from its latest balances.`];
}

const FILES_MAX = 5;

/** Lists price files with the days that they lack, for example `coingecko/cosmos.csv (2026-02-10 and 2 later days)`. */
export function gapsNote(gaps: NonNullable<Manifest['price_gaps']>): string {
  const named = gaps.slice(0, FILES_MAX).map(({ file, days: [first, ...later] }) => {
    const more = later.length === 0 ? '' : ` and ${later.length} later ${later.length === 1 ? 'day' : 'days'}`;
    return `${file} (${first}${more})`;
  });
  return [...named, ...(gaps.length > FILES_MAX ? [`${gaps.length - FILES_MAX} more files`] : [])].join(', ');
}

const COINS_MAX = 5;

function unreachedNote(unreached: NonNullable<Manifest['unreached_prices']>): string {
  const days = new Set(unreached.flatMap((coin) => coin.days));
  const symbols = [...new Set(unreached.map(({ symbol }) => symbol))];
  const named = symbols.slice(0, COINS_MAX).join(', ');
  const more = symbols.length > COINS_MAX ? ` and ${symbols.length - COINS_MAX} other coins` : '';
  const [first, ...later] = [...days].sort();
  const when = later.length === 0 ? first : `${later.length + 1} days from ${first} to ${later.at(-1)}`;
  return `No market could be reached for the price of ${named}${more} on ${when}; the next run asks again.`;
}

function oversizedNote(tokens: readonly OversizedToken[]): string {
  const named = tokens.slice(0, COINS_MAX).map(({ denom, tx_hash }) => `${denom} (${tx_hash})`);
  const more = tokens.length > COINS_MAX ? ` and ${tokens.length - COINS_MAX} more` : '';
  return `No row has these tokens, because their amounts have more than 38 digits: ${named.join(', ')}${more}.`;
}

const laterNote = (from: number): string =>
  `Balances and stakes are known from block ${from} on. Losses of delegations by earlier slashes are rows of the next block. ` +
  'Losses of unbonding or redelegated coins are known only in part; the rest is missing in the opening quantities.';

const partialNote = (until: Manifest['holdings_until'], { reason }: HoldingsStop): string =>
  `Balances and stakes are proved up to block ${until}, because the next block is not explained (${reason}). After ` +
  'it there are no rows for losses by slashes, and tokenized shares are priced at the last proved rate.';
