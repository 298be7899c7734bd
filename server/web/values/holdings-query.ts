/** The wallets, instant and currency of the page of holdings, and the URL fragment that contains them. */
import { isDay, typedInstant } from './dates.js';

/** An instant; the last block if both members are ''. */
export interface Instant {
  /** Day whose end is meant, YYYY-MM-DD. */
  readonly date: string;
  /** RFC 3339. */
  readonly at: string;
  /** Name of the time zone of `date`; '' without a day. */
  readonly timezone: string;
}

const UTC = 'UTC';

export interface HoldingsQuery extends Instant {
  readonly addresses: readonly string[];
  readonly currency: string;
}

export const LAST_BLOCK: Instant = { date: '', at: '', timezone: '' };

/** Returns the instant in a URL's fragment; undefined if it names none. */
export function instantIn(given: URLSearchParams): Instant | undefined {
  const date = given.get('date') ?? '';
  if (isDay(date)) return { date, at: '', timezone: given.get('timezone') || UTC };
  const at = typedInstant(given.get('at') ?? '');
  if (at !== undefined) return { ...LAST_BLOCK, at };
  return given.has('latest') ? LAST_BLOCK : undefined;
}

/** Returns the fragment with a query. Signs such as + are escaped. */
export function fragmentOf({ addresses, date, at, timezone, currency }: HoldingsQuery): string {
  const zone = timezone === UTC ? '' : `&timezone=${encodeURIComponent(timezone)}`;
  const instant = date !== '' ? `date=${date}${zone}` : at !== '' ? `at=${encodeURIComponent(at)}` : 'latest';
  return `#addresses=${addresses.join(',')}&${instant}&currency=${currency}`;
}
