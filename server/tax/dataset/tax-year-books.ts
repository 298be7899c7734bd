/** Computes a tax year from a dataset: the books of each owner, and what is held and unclaimed when years end. */
import { addDays } from '../../../pipeline/base/values/day.js';
import { type Zone, zoneNamed } from '../../../pipeline/base/values/zones.js';
import { currencyOf } from '../../../pipeline/books/currencies/index.js';
import { Valuer } from '../../../pipeline/books/currencies/valuer.js';
import type { OpeningHoldings } from '../../../pipeline/books/ledger/opening-coins.js';
import { findOwnTransfers } from '../../../pipeline/books/ledger/replay.js';
import { methodNamed } from '../../../pipeline/books/methods/index.js';
import { poolMethodNamed } from '../../../pipeline/books/pools/index.js';
import {
  type Books,
  type Unclaimed,
  withCounted,
  withoutIncome,
} from '../../../pipeline/books/reports/tax-year/income-rule.js';
import { rowsOfPerson } from '../../../pipeline/books/reports/tax-year/person.js';
import {
  type Owner,
  type OwnerYear,
  type Revaluation,
  type TaxTerms,
  yearOfOwner,
} from '../../../pipeline/books/reports/tax-year/tax-year.js';
import type { CountryRules, PricedEvent } from '../../../schemas/types.generated.js';
import type { TaxYearTerms } from '../parameters/reading.js';
import { indexDays } from '../parameters/time-range.js';
import type { Dataset } from './dataset.js';
import { coveredBlockBefore, dayAt, nanosOf } from './instants.js';
import { walletAt } from './wallet-at.js';
import { lotsOf, type Stated, walletEvents } from './wallet-ledger.js';

/** Rules of a request that names no country: by address, from 1 January, without a free period. */
const NO_COUNTRY: Pick<CountryRules, 'year_start' | 'scope' | 'unit_rounding' | 'free'> = {
  year_start: '01-01',
  scope: 'address',
  unit_rounding: 'none',
  free: null,
};

export interface YearBooks {
  readonly rules: CountryRules | undefined;
  readonly scope: CountryRules['scope'];
  readonly terms: TaxTerms;
  readonly years: readonly OwnerYear[];
  /** Rewards that are income because they are unclaimed when this year ends. */
  readonly unclaimed: readonly Unclaimed[];
  /** Number of wallets whose unclaimed rewards at the end of a year are needed but unknown. */
  readonly unclaimedUnknown: number;
}

export type TaxYearRequest = Stated & { readonly taxYear: TaxYearTerms };

export function taxYearBooks(request: TaxYearRequest, dataset: Dataset): YearBooks {
  const { taxYear, addresses } = request;
  const { rules } = dataset.reference;
  const country = dataset.reference.countries.find((one) => one.country === taxYear.country);
  const { year_start, scope, unit_rounding, free } = country ?? NO_COUNTRY;
  const zone = zoneNamed(taxYear.timezone);
  const rates = dataset.exchangeRates();
  const valuer = new Valuer(currencyOf(taxYear.currency), rates);
  const pool = poolMethodNamed(taxYear.method);
  const terms: TaxTerms = {
    ...{ valuer, zone, yearStart: year_start, unitRounding: unit_rounding },
    method: pool ? { pool } : { lots: methodNamed(taxYear.method) },
    free: free?.after ?? null,
    revalued: country?.revalued ? revaluationOf(country.revalued.day, zone, valuer, dataset) : null,
    freeMeans: free?.means ?? 'long_term',
  };
  const year = { first: taxYear.first, last: taxYear.last, indexStart: indexDays(dataset, zone).first };
  let unclaimedUnknown = 0;
  const counted: Unclaimed[] = [];
  const books = new Map(
    addresses.map((address): [string, Books] => {
      const own: Books = { events: [...walletEvents(dataset, address)], decisions: request.decisions };
      if (taxYear.income === 'none') return [address, withoutIncome(own, rules)];
      if (taxYear.income === 'claim') return [address, own];
      const { known, unknown } = unclaimedAtYearEnds(address, request, terms, dataset);
      if (unknown) unclaimedUnknown++;
      counted.push(...known.filter(({ day }) => day === taxYear.last));
      return [address, withCounted(own, known, zone)];
    }),
  );
  const owners = scope === 'person' ? [person(books, request, dataset)] : ownersOf(books, request, dataset);
  const years = owners.map((owner) => yearOfOwner(owner, year, terms, rules));
  return { rules: country, scope, terms, years, unclaimed: counted, unclaimedUnknown };
}

/** Values coins by the price of the UTC day in which the last instant before a day lies. */
function revaluationOf(day: string, zone: Zone, valuer: Valuer, dataset: Dataset): Revaluation {
  const utcDay = dayAt(nanosOf(day, zone) - 1n);
  return {
    day,
    valueOf(denom, units) {
      const { decimals } = dataset.reference.rules.denomination(denom);
      return valuer.valueOf(units, decimals, dataset.prices(denom).get(utcDay) ?? null, utcDay);
    },
  };
}

const ownersOf = (books: ReadonlyMap<string, Books>, request: TaxYearRequest, dataset: Dataset): Owner[] =>
  Array.from(books, ([address, own]) => ({
    ...own,
    address,
    opening: dataset.opening(address),
    stated: lotsOf(address, request),
  }));

const PERSON = 'person';

function person(books: ReadonlyMap<string, Books>, request: TaxYearRequest, dataset: Dataset): Owner {
  const wallets = new Map(
    Array.from(books, ([address, { events }]): [string, readonly PricedEvent[]] => [address, events]),
  );
  const { assets } = request.decisions;
  const changed = [...books.values()].flatMap(({ decisions }) =>
    [...decisions.assets].filter(([id, decision]) => decision !== assets.get(id)),
  );
  const decisions = { ...request.decisions, assets: new Map([...assets, ...changed]) };
  const rows = [...wallets.values()].flat().filter(({ counterparty }) => wallets.has(counterparty ?? ''));
  const own = findOwnTransfers(rows, decisions, dataset.reference.rules);
  return {
    address: PERSON,
    events: rowsOfPerson(wallets, own, PERSON),
    decisions,
    opening: sumOf(request.addresses.map((address) => dataset.opening(address))),
    stated: request.addresses.flatMap((address) => lotsOf(address, request)),
  };
}

/** Adds holdings. Unknown ones make the sum unknown. */
function sumOf(all: readonly OpeningHoldings[]): OpeningHoldings {
  const sums = new Map<string, bigint>();
  for (const holdings of all) {
    if (holdings === undefined) return undefined;
    for (const [denom, units] of holdings) sums.set(denom, (sums.get(denom) ?? 0n) + units);
  }
  return sums;
}

/** Returns what a wallet could claim at the end of each tax year of the index, up to the requested one. */
function unclaimedAtYearEnds(
  address: string,
  { taxYear }: TaxYearRequest,
  { valuer, zone, yearStart }: TaxTerms,
  dataset: Dataset,
): { known: Unclaimed[]; unknown: boolean } {
  const known: Unclaimed[] = [];
  let unknown = false;
  const index = indexDays(dataset, zone);
  for (let year = Number(index.first.slice(0, 4)); ; year++) {
    const next = `${year}-${yearStart}`;
    // A year may end with the last day of the index, whose last block is before the end.
    if (next > addDays(taxYear.last, 1) || next > addDays(index.last, 1)) return { known, unknown };
    if (next <= index.first) continue;
    const end = nanosOf(next, zone);
    const moment = coveredBlockBefore(dataset, end);
    const claims = moment && walletAt(dataset, address, moment)?.unclaimed;
    if (!claims) unknown = true;
    const utcDay = dayAt(end - 1n);
    for (const [denom, units] of claims ?? []) {
      if (units === null) unknown = true;
      if (!units) continue;
      const { decimals } = dataset.reference.rules.denomination(denom);
      const value = valuer.valueOf(units, decimals, dataset.prices(denom).get(utcDay) ?? null, utcDay);
      known.push({ day: addDays(next, -1), denom, units, value });
    }
  }
}
