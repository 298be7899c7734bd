/** The country by whose rules the report is made. Without one, and for the United States, the report has no such rules. */
import { computed } from '@preact/signals';
import { currencyOf } from '../../../pipeline/books/currencies/index.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import { amountFault } from '../values/decimal.js';
import { AMERICA, type Country, dataset, rulesOf, yearAt, yearsOf } from './dataset.js';
import {
  type AssetDecision,
  areAllWallets,
  ledgerBody,
  NO_COUNTRY,
  type OpeningLot,
  type ReportQuery,
  type Statements,
  stateCountry,
  statements,
  statesCost,
  statesValue,
  zoneIn,
} from './statements.js';
import { proposedZone, UTC } from './zone.js';

/** Rules of the report; undefined for the usual report. */
export const country = computed<Country | undefined>(() => rulesOf(statements.value.country));

const USUAL_CHOICES: readonly string[] = [AMERICA, NO_COUNTRY, ''];

/** Methods by which no gain is computed. */
export const WITHOUT_GAINS: readonly string[] = ['none', 'portfolio'];

/** Whether the report has gains. */
export const hasGains = computed(() => !country.value || !WITHOUT_GAINS.includes(country.value.method));

/** Whether the rules are not loaded yet. */
export const isPending = computed(() => !USUAL_CHOICES.includes(statements.value.country) && !dataset.value);

/** Countries whose rules apply to a day of the dataset. */
export const countries = computed<readonly Country[]>(() => {
  const { countries: all = [], index_end = '' } = dataset.value ?? {};
  return all.filter(({ from = '' }) => from <= index_end).toSorted((a, b) => (a.name < b.name ? -1 : 1));
});

/** Code of the country in whose zone the browser is; NO_COUNTRY if none has it. */
export const proposedCountry = computed(
  () => countries.value.find(({ zones }) => zones.includes(proposedZone.value))?.country ?? NO_COUNTRY,
);

/** Currency of the report's amounts. */
export const currency = computed(() =>
  country.value ? currencyOf(statements.value.currency || country.value.currency) : USUAL.currency,
);

/** Whether amounts are in US dollars. Amounts of other currencies are known only for the sums of a tax year. */
export const isUsual = computed(() => currency.value.code === USUAL.currency.code);

/** Chooses a country and its currency. Its zone replaces one that is not the country's. @param currencyCode '' for the country's own */
export function chooseCountry(code: string, currencyCode: string): void {
  const rules = rulesOf(code);
  const isOwnZone = !rules?.timezone || rules.zones.includes(zoneIn(statements.peek()));
  stateCountry({ country: code, currency: currencyCode, ...(!isOwnZone && { timezone: rules.timezone! }) });
}

/** Returns whether the dataset has days of a year, and the country has rules for it. */
const isAnswered = (year: string, { year_start, from = '' }: Country): boolean =>
  yearsOf(dataset.peek()!, year_start).includes(year) && `${year}-${year_start}` >= from;

/** Returns the body of a request for the country's tax year; undefined for the usual report, and if there is none. */
export function taxYearBody(query: ReportQuery, stated: Statements): Record<string, unknown> | undefined {
  const rules = rulesOf(stated.country);
  const year = String(yearAt(query.start, rules?.year_start));
  if (!rules || !isAnswered(year, rules)) return undefined;
  const { start: _, end: _end, ownWallets: _own, ...body } = convertible(ledgerBody(query, stated), stated);
  const timezone = zoneIn(stated);
  return {
    ...body,
    ...{ country: rules.country, year },
    ...(stated.currency !== '' && { currency: stated.currency }),
    // Without the owner's own zone, days are those of UTC, and the answer says so.
    ...((rules.timezone !== null || timezone !== UTC) && { timezone }),
    ...(areAllWallets(query.addresses, stated) && { complete: 'true' }),
  };
}

/**
 * Returns a request of the usual report whose answer a country's page only counts. Its sums in US dollars are not shown,
 * so amounts in another currency go along as they are.
 */
export function countedOnly(body: Record<string, unknown>, stated: Statements): Record<string, unknown> {
  if (!rulesOf(stated.country)) return body;
  const { assetDecisions, openingLots, ...others } = convertible(body, stated);
  const decisions = Object.entries(assetDecisions).map(([key, decision]) => [key, withoutCurrency(decision)]);
  return {
    ...others,
    assetDecisions: Object.fromEntries(decisions),
    ...(openingLots && { openingLots: openingLots.map(withoutCurrency) }),
  };
}

interface StatedParts extends Record<string, unknown> {
  readonly assetDecisions: Readonly<Record<string, AssetDecision>>;
  readonly openingLots?: readonly OpeningLot[];
}

/**
 * Leaves out amounts in another currency than the year's that are of a day before the index, because these days have no
 * exchange rates. Their coins have an unknown cost until the user states it in the year's currency.
 */
function convertible(body: Record<string, unknown>, stated: Statements): StatedParts {
  const { assetDecisions, openingLots = [], ...others } = body as StatedParts;
  const code = stated.currency || rulesOf(stated.country)!.currency;
  const isOther = ({ currency: of = USUAL.currency.code }: Stated) => of !== code;
  const first = dataset.peek()!.index_start;
  const isTooEarly = (one: AssetDecision) =>
    (statesCost(one) || statesValue(one)) && isOther(one) && (one.acquired_date ?? first) < first;
  const lots = openingLots.filter((lot) => !isOther(lot));
  return {
    ...others,
    assetDecisions: Object.fromEntries(Object.entries(assetDecisions).filter(([, one]) => !isTooEarly(one))),
    ...(lots.length > 0 && { openingLots: lots }),
  };
}

function withoutCurrency({ currency: code, ...stated }: AssetDecision | OpeningLot): object {
  if (code === undefined) return stated;
  const { value, cost_basis, ...others } = stated as Partial<AssetDecision>;
  return {
    ...others,
    ...(value !== undefined && { value_usd: value }),
    ...(cost_basis !== undefined && { cost_basis_usd: cost_basis }),
  };
}

type Stated = AssetDecision | Omit<OpeningLot, 'address'>;
export type StatedAmount = 'value' | 'cost_basis';

/** Returns the members of an amount in the report's currency. US dollars have members of their own. */
export const amountMembers = (name: StatedAmount, amount: string): Partial<AssetDecision> =>
  isUsual.value ? { [`${name}_usd`]: amount } : { currency: currency.value.code, [name]: amount };

/** Returns the error of a typed amount; undefined if it is valid. An amount with a dollar sign is one in US dollars. */
export const typedFault = (text: string): string | undefined =>
  !isUsual.value && text.includes(USUAL.currency.symbol) ? `An amount in ${currency.value.words}` : amountFault(text);

/** Returns an amount that was stated in the report's currency; '' if there is none. */
export function amountOf(stated: Stated | undefined, name: StatedAmount): string {
  const members = { ...stated } as Partial<Record<string, string>>;
  const amount = members.currency === currency.value.code ? members[name] : undefined;
  return (isUsual.value ? members[`${name}_usd`] : undefined) ?? amount ?? '';
}

/** Returns whether an amount was stated in another currency. The report shows it, but does not change it. */
export const isForeign = (stated: Stated): boolean => (stated.currency ?? USUAL.currency.code) !== currency.value.code;
