import { signal } from '@preact/signals';
import type { CountryRules } from '../../../schemas/types.generated.js';
import { get, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { ADDRESSES_MAX } from '../values/addresses.js';
import { countDays, dayBefore, dayOfYear, earlier, later } from '../values/dates.js';

interface ReportDataset {
  readonly generation: string;
  readonly height: number;
  /** Time of the dataset's last block, RFC 3339. */
  readonly time: string;
  readonly index_start: string;
  readonly index_end: string;
  readonly methodology_version: string;
  /** Currencies in which values can be given, ISO 4217. */
  readonly currencies: readonly string[];
  readonly countries: readonly Country[];
  readonly example: Example | null;
  /** The only wallets that the dataset contains; empty if it contains the whole chain. */
  readonly wallets: readonly TrackedWallet[];
  readonly tags: readonly TagRule[];
  /** Tax treatment by category. */
  readonly effects: Readonly<Record<string, Effects>>;
  /** Categories of outgoing payments that count as sales until the user answers what they were. */
  readonly unexplained_out: readonly string[];
  /** Categories whose receipts have no known cost. */
  readonly unknown_basis: readonly string[];
  /** Categories whose cost is the market value on the day of receipt. Without a price, the cost is unknown. */
  readonly market_basis: readonly string[];
  /** Categories of returned coins. Their cost is known only if the same coins left the wallet earlier. */
  readonly returning: readonly string[];
  /** By category: whether tags apply to incoming coins, outgoing coins, or both. */
  readonly tagged_sides: Readonly<Record<string, readonly Side[]>>;
}

/** What the page uses of a country's rules. `zones` has all zones of the country. */
export interface Country
  extends Pick<
    CountryRules,
    | 'country'
    | 'name'
    | 'currency'
    | 'timezone'
    | 'zones'
    | 'year_start'
    | 'from'
    | 'method'
    | 'scope'
    | 'free'
    | 'year_end'
    | 'thresholds'
  > {
  readonly method_words: string;
  /** Figures that each line of the form adds, in the order of the answer's lines. */
  readonly form: readonly Pick<CountryRules['form'][number], 'sum'>[];
}

export interface TrackedWallet {
  readonly address: string;
  readonly state: 'proved' | 'complete' | 'derived' | 'incomplete';
  /** Sentences about missing parts of the wallet's history. */
  readonly missing: readonly string[];
  /** Sentences about why a complete wallet is not proved. */
  readonly unconfirmed: readonly string[];
}

/** An example wallet, with assumed purchases of the coins that it held when the index began. */
interface Example {
  readonly address: string;
  readonly opening_lots: readonly {
    readonly denom: string;
    readonly quantity: string;
    readonly acquired_date: string;
    readonly cost_basis_usd: string;
  }[];
}

type Side = 'in' | 'out';

export type Effect = 'income' | 'bought' | 'free' | 'unknown_cost' | 'sold' | 'no_gain' | 'kept';
/** Tax effect on received coins and on sent coins. A side is missing if its coins stay in the wallet. */
type Effects = Readonly<Partial<Record<Side, Effect>>>;

interface TagRule {
  readonly tag: string;
  readonly label: string;
  readonly treatment: string;
  readonly sides: readonly Side[];
  readonly effects: Effects;
}

export const dataset = signal<ReportDataset | undefined>(undefined);
export const datasetFailure = signal('');

export async function findDataset(): Promise<void> {
  datasetFailure.value = '';
  try {
    dataset.value = await get<ReportDataset>(PATHS.dataset);
  } catch (error) {
    datasetFailure.value = messageOf(error);
  }
}

/** The country whose report is the usual one. */
export const AMERICA = 'US';

/** Returns the rules of a country. The usual report has none. */
export const rulesOf = (code: string): Country | undefined =>
  code === AMERICA ? undefined : dataset.value?.countries.find(({ country }) => country === code);

/** Returns whether an address is one of the only wallets of the dataset (HUBLEDGER_WALLETS). */
export const isTracked = (address: string): boolean =>
  dataset.value?.wallets.some((wallet) => wallet.address === address) ?? false;

/** Returns the addresses of a dataset of single wallets if one report can show them all; otherwise an empty list. */
export function jointWallets(): readonly string[] {
  const addresses = dataset.value?.wallets.map(({ address }) => address) ?? [];
  return addresses.length > 1 && addresses.length <= ADDRESSES_MAX ? addresses : [];
}

/** MM-DD. The first day of a calendar year. */
const NEW_YEAR = '01-01';

/** Returns the days of a year that begins on a day. @param start MM-DD */
export const daysOfYear = (year: string, start = NEW_YEAR) => ({
  start: `${year}-${start}`,
  end: dayBefore(`${Number(year) + 1}-${start}`),
});

/** Returns the year to which a day belongs: the one in which the tax year begins. @param start MM-DD */
export const yearAt = (day: string, start = NEW_YEAR): number =>
  Number(day.slice(0, 4)) - (day.slice(5) < start ? 1 : 0);

export const yearsOf = ({ index_start, index_end }: ReportDataset, start = NEW_YEAR): string[] => {
  const [first, last] = [yearAt(index_start, start), yearAt(index_end, start)];
  return Array.from({ length: last - first + 1 }, (_, i) => String(last - i));
};

/** If a smaller share of the period's days is recorded, the page warns that the period is incomplete. */
export const WHOLE_SHARE = 0.9;

interface Index {
  readonly index_start: string;
  readonly index_end: string;
}

/** Returns whether the first days of a year are missing, and whether its last days are in the future. */
function stateOf(year: string, { index_start, index_end }: Index, start: string) {
  const { start: first, end: last } = daysOfYear(year, start);
  const until = earlier(index_end, last);
  const share = countDays(later(index_start, first), until) / Math.max(1, countDays(first, until));
  return { isPartial: share > 0 && share < WHOLE_SHARE, isUnfinished: index_end < last && index_end >= first };
}

/** Names a year and its recorded part, such as '2025 (from 28 Dec)', '2026 so far' or '2026/27'. */
export function yearName(year: string, index: Index | undefined, start = NEW_YEAR): string {
  const name = start === NEW_YEAR ? year : `${year}/${String(Number(year) + 1).slice(-2)}`;
  if (!index) return name;
  const { isPartial, isUnfinished } = stateOf(year, index, start);
  const from = isPartial ? ` (from ${dayOfYear(index.index_start)})` : '';
  return name + (isUnfinished ? ' so far' : '') + from;
}

/** MM-DD. From this day on, the report opens with the current year, because returns for the previous year are due. */
const RETURN_DUE = '10-15';

/** Returns the year that the report opens with: the previous year until its returns are due, then the current year. */
export function usualYear(found: ReportDataset, start = NEW_YEAR): string {
  const [newest = '', last] = yearsOf(found, start);
  const isEarly = found.index_end < `${newest}-${RETURN_DUE}`;
  return isEarly && last !== undefined && !stateOf(last, found, start).isPartial ? last : newest;
}

interface Taggable {
  readonly category: string;
  readonly receivedAmount: string;
  readonly sentAmount: string;
}

export function tagsFor(row: Taggable): readonly TagRule[] {
  const { tags = [], tagged_sides: taken = {} } = dataset.value ?? {};
  const sides = (taken[row.category] ?? []).filter(
    (side) => row[side === 'in' ? 'receivedAmount' : 'sentAmount'] !== '',
  );
  return tags.filter((tag) => tag.sides.some((side) => sides.includes(side)));
}
