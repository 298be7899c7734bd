/** Edges: instants at which unclaimed rewards are kept, such as the first instant of each tax year. */
import type { TaxYear } from '../../../schemas/types.generated.js';
import { ConfigError } from '../config-error.js';
import { isZone } from './zone-names.js';
import { zoneNamed } from './zones.js';

export interface Edge {
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  /** Countries in which a tax year begins then, sorted. */
  readonly countries: readonly string[];
}

/** @throws ConfigError if a time zone is unknown */
export function expectKnownZones(taxYears: readonly TaxYear[]): readonly TaxYear[] {
  for (const { country, zones } of taxYears) {
    const unknown = zones.find((zone) => !isZone(zone));
    if (unknown) throw new ConfigError(`tax-years.json: ${country} has the unknown time zone ${unknown}`);
  }
  return taxYears;
}

const MILLISECOND = 1_000_000n;
const yearOf = (at: bigint) => new Date(Number(at / MILLISECOND)).getUTCFullYear();

/** Returns when tax years begin, in all zones of their countries, for the years that overlap a period and the next one. */
function taxYearStarts(taxYears: readonly TaxYear[], from: bigint, to: bigint): Edge[] {
  const starts: Edge[] = [];
  for (let year = yearOf(from); year <= yearOf(to) + 1; year++) {
    for (const { country, first_day, zones } of taxYears) {
      for (const zone of zones) {
        const start = zoneNamed(zone).startOf(`${year}-${first_day}`);
        starts.push({ at: BigInt(start) * MILLISECOND, countries: [country] });
      }
    }
  }
  return starts;
}

/**
 * Returns the edges after `after` and up to `until`, in nanoseconds since 1970. They are in order, each once.
 * @param further instants besides the starts of tax years
 */
export function edgesBetween(
  taxYears: readonly TaxYear[],
  further: readonly bigint[],
  { after, until }: { readonly after: bigint; readonly until: bigint },
): Edge[] {
  const countries = new Map<bigint, Set<string>>();
  const others = further.map((at): Edge => ({ at, countries: [] }));
  for (const edge of [...taxYearStarts(taxYears, after, until), ...others]) {
    if (edge.at <= after || edge.at > until) continue;
    const known = countries.get(edge.at) ?? new Set();
    for (const country of edge.countries) known.add(country);
    countries.set(edge.at, known);
  }
  return [...countries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([at, named]): Edge => ({ at, countries: [...named].sort() }));
}
