/** Reports the quotes and failures of price sources in a nightly run, and counts nights in which a source gave no quote. */
import { type PriceSourceRecord, priceSources } from '../base/disk/run-records.js';
import { dayOf } from '../base/values/day.js';
import type { Config } from '../config.js';
import type { MarketFailure } from './market-source.js';
import type { FetchedQuote } from './quote-archive.js';

/** Quotes and failures of a source in one run. */
export interface SourceOutcome {
  readonly name: string;
  readonly rows: readonly FetchedQuote[];
  readonly failures: readonly { readonly asset: string; readonly failure: MarketFailure }[];
}

const UNKNOWN: PriceSourceRecord = { silent_nights: [], last_quote: null, failure: null, unlisted: [] };

/**
 * Stores the outcomes of the sources, for `status` and metrics.
 * @returns one sentence for each failure. A market that is not listed is reported only by the first run
 */
export function recordSources(
  outcomes: readonly SourceOutcome[],
  { dataDir, now }: Pick<Config, 'dataDir' | 'now'>,
): string[] {
  const time = now();
  const before = priceSources.read(dataDir)?.sources ?? {};
  const anyQuote = outcomes.some(hasQuote);
  const records = outcomes.map((source) => {
    const known = before[source.name] ?? UNKNOWN;
    return [source.name, recordOf(source, known, dayOf(time.getTime()), anyQuote)] as const;
  });
  priceSources.write(dataDir, { ended: time.toISOString(), sources: { ...before, ...Object.fromEntries(records) } });
  return outcomes.flatMap((source) => sentences(source, before[source.name] ?? UNKNOWN));
}

const hasQuote = ({ rows }: SourceOutcome) => rows.some(({ usd }) => usd !== null);

/**
 * A night in which no source gave a quote is silent only for sources that failed, because there may have been no price.
 */
function recordOf(
  source: SourceOutcome,
  known: PriceSourceRecord,
  today: string,
  anyQuote: boolean,
): PriceSourceRecord {
  const { rows, failures } = source;
  const cause = failures.find(({ failure }) => !failure.provesAbsence)?.failure.message;
  const quoted = new Set(rows.filter(({ usd }) => usd !== null).map(({ market }) => market));
  const gone = failures.filter(({ failure }) => failure.fault === 'unlisted').map(({ failure }) => failure.market);
  const isSilent = cause !== undefined || (rows.length > 0 && anyQuote);
  const silent = isSilent && known.last_quote !== today ? [today] : [];
  return {
    silent_nights: quoted.size > 0 ? [] : [...new Set([...known.silent_nights, ...silent])],
    last_quote: quoted.size > 0 ? today : known.last_quote,
    failure: cause ?? (rows.length > 0 ? null : known.failure),
    unlisted: [...new Set([...known.unlisted, ...gone])].filter((market) => !quoted.has(market)).sort(),
  };
}

function sentences({ failures }: SourceOutcome, known: PriceSourceRecord): string[] {
  const assets = new Map<string, string[]>();
  for (const { asset, failure } of failures)
    assets.set(failure.message, [...(assets.get(failure.message) ?? []), asset]);
  const first = new Map(failures.map(({ failure }) => [failure.message, failure]));
  return [...first.values()]
    .filter(({ fault, market }) => fault !== 'unlisted' || !known.unlisted.includes(market))
    .map((failure) => `${failure.message}${effectOf(failure, assets.get(failure.message)!.join(', '))}`);
}

function effectOf({ fault }: MarketFailure, assets: string): string {
  switch (fault) {
    case 'unlisted':
      return `: it has no quotes of ${assets}`;
    case 'range':
      return `: these days of ${assets} are not requested again`;
    case 'conversion':
    case 'unreadable':
      return `: no quotes of ${assets}; the next run asks again`;
    default:
      return '; the next run asks again';
  }
}

/** Number of nights without a quote after which a source is reported. */
export const SILENT_NIGHTS = 3;
