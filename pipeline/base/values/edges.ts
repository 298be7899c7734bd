/** Edges: instants at which unclaimed rewards are kept, such as the first instant of each tax year. */
import type { CountryRules } from '../../../schemas/types.generated.js';
import { DAY_MS, startOf } from './day.js';
import { zoneNamed } from './zones.js';

type TaxYear = Pick<CountryRules, 'country' | 'year_start' | 'zones'>;

export interface Edge {
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  /** Countries in which a tax year begins then, sorted. */
  readonly countries: readonly string[];
}

const MILLISECOND = 1_000_000n;
const DAY = BigInt(DAY_MS) * MILLISECOND;
const nanosOf = (time: number) => BigInt(time) * MILLISECOND;
const yearOf = (at: bigint) => new Date(Number(at / MILLISECOND)).getUTCFullYear();

/** Nanoseconds since 1970. Excludes `after` and includes `until`. */
export interface Period {
  readonly after: bigint;
  readonly until: bigint;
}

/** Returns when tax years begin in a period, in all zones of their countries. */
function taxYearStarts(countries: readonly TaxYear[], { after, until }: Period): Edge[] {
  const starts: Edge[] = [];
  for (let year = yearOf(after); year <= yearOf(until) + 1; year++) {
    for (const { country, year_start, zones } of countries) {
      const day = `${year}-${year_start}`;
      const midnight = nanosOf(startOf(day));
      if (midnight <= after - DAY || midnight > until + DAY) continue; // no zone is a day off UTC
      for (const zone of zones) starts.push({ at: nanosOf(zoneNamed(zone).startOf(day)), countries: [country] });
    }
  }
  return starts;
}

/**
 * Returns the edges after `after` and up to `until`, in order and each once.
 * @param further instants besides the starts of tax years
 */
export function edgesBetween(
  countries: readonly TaxYear[],
  further: readonly bigint[],
  { after, until }: Period,
): Edge[] {
  const named = new Map<bigint, Set<string>>();
  const others = further.map((at): Edge => ({ at, countries: [] }));
  for (const edge of [...taxYearStarts(countries, { after, until }), ...others]) {
    if (edge.at <= after || edge.at > until) continue;
    const known = named.get(edge.at) ?? new Set();
    for (const country of edge.countries) known.add(country);
    named.set(edge.at, known);
  }
  return [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([at, codes]): Edge => ({ at, countries: [...codes].sort() }));
}

const AHEAD = 31n * DAY;

/** The edges of a nightly run. */
export class EdgeCalendar {
  private period: Period = { after: 0n, until: 0n };
  private known: readonly Edge[] = [];

  constructor(
    private readonly countries: readonly TaxYear[],
    private readonly further: readonly bigint[],
  ) {}

  between(period: Period): Edge[] {
    return edgesBetween(this.countries, this.further, period);
  }

  /** Returns true if there is an edge in a period. Remembers the edges of a month, because it is called for every block. */
  hasEdge({ after, until }: Period): boolean {
    if (after < this.period.after || until > this.period.until) {
      this.period = { after, until: until + AHEAD };
      this.known = this.between(this.period);
    }
    return this.known.some(({ at }) => at > after && at <= until);
  }
}
