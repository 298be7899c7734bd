/** Figures of a country's tax year, for the page and for paper. */
import { gainWord, gapsOf, gapsOfLine, isOfGains, type Open } from '../../../pipeline/books/reports/tax-year/words.js';
import type { TaxYear } from '../../../schemas/types.generated.js';
import { currency } from '../state/country.js';
import type { Country } from '../state/dataset.js';
import { counted, isZero, money, unitsOf } from '../values/decimal.js';

const NOT_KNOWN = 'not known yet';

interface SumProps {
  readonly value: string | null;
  /** True if the sum lacks parts. A sum of zero that lacks parts is unknown. */
  readonly isPartial?: boolean;
  /** Text in place of an unknown sum. */
  readonly unknown?: string;
}

/** Shows a sum in the report's currency. */
export const Sum = ({ value, isPartial = false, unknown = NOT_KNOWN }: SumProps) =>
  isKnown(value, isPartial) ? (
    <data class="figure" value={value}>
      {money(value, currency.value.code)}
    </data>
  ) : (
    <span class="unknown">{unknown}</span>
  );

export const isKnown = (value: string | null, isPartial: boolean): value is string =>
  value !== null && !(isPartial && isZero(value));

export interface YearProps {
  readonly year: TaxYear;
  readonly rules: Country;
}

/** Returns what is still open. The answer always has both members. */
export const openOf = ({ open }: TaxYear) => open as readonly Open[];

export const lackingIn = (year: TaxYear) => gapsOf({ ...year, open: openOf(year) }, counted);

export const unknownGain = ({ disposals, method }: TaxYear): string => gainWord(disposals.withheld, method, NOT_KNOWN);

/** Returns the lines of the return, what each lacks, and the word in place of its unknown value. */
export function formLines({ year, rules }: YearProps) {
  const gaps = lackingIn(year);
  return year.form.map(({ form, line, label, value = null }, i) => {
    const sum: readonly string[] = rules.form[i]?.sum ?? [];
    const unknown = isOfGains(sum) ? unknownGain(year) : NOT_KNOWN;
    return { place: `${form}, ${line}`, label, value, lacking: gapsOfLine(sum, gaps), unknown };
  });
}

/** Names the source of the exchange rates; '' if there are none. @param printedDay formats a day */
export function ratesWords({ rates }: TaxYear, printedDay: (day: string) => string): string {
  if (!rates) return '';
  return `Rates: ${rates.source}${rates.last_day ? `, up to ${printedDay(rates.last_day)}` : ''}.`;
}

/** Returns the sums of disposals that the rules have. The first one is the most important. */
export function gainsOf({
  year: { disposals },
  rules: { free },
}: YearProps): readonly (readonly [string, string | null])[] {
  const all = [['Gain or loss', disposals.gain]] as const;
  if (free?.means === 'exempt')
    return [['Taxable gain or loss', disposals.taxable_gain], ['Tax-free gain or loss', disposals.exempt_gain], ...all];
  if (free?.means === 'long_term')
    return [...all, ['Short-term gain or loss', disposals.short_gain], ['Long-term gain or loss', disposals.long_gain]];
  return all;
}

/** Returns what was held when the year ended, or after the last block of a year that has not ended. */
export const heldTitle = ({ holdings, year }: TaxYear): string =>
  holdings && Date.parse(holdings.at) < Date.parse(year.end!)
    ? 'Held after the last block'
    : 'Held at the end of the year';

export const isRecorded = ({ coverage }: TaxYear): boolean => coverage.covered_from !== null;

export type Asset = NonNullable<TaxYear['holdings']>['assets'][number];

interface Coin {
  readonly symbol: string;
  readonly denom: string;
  readonly value: string | null;
}

const isListed = ({ symbol, denom }: Coin) => symbol !== denom;

/** Coins of the asset registry come first, the most valuable ones before others. */
export const listedFirst = <Of extends Coin>(coins: readonly Of[]): Of[] =>
  coins.toSorted(
    (a, b) => Number(isListed(b)) - Number(isListed(a)) || Number(unitsOf(b.value ?? '') - unitsOf(a.value ?? '')),
  );
