import { formatDecimal, formatMinor, PRICE_DECIMALS, parseDecimal } from '../../pipeline/base/values/amount.js';
import { addDays } from '../../pipeline/base/values/day.js';
import { firstSecond, lastSecond, zoneNamed } from '../../pipeline/base/values/zones.js';
import type { Currency } from '../../pipeline/books/currencies/currency.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import {
  type DisposalFigures,
  disposalsOf,
  type IncomeFigures,
  type IncomeKind,
  incomeOf,
  type Withheld,
} from '../../pipeline/books/reports/tax-year/figures.js';
import type { Line } from '../../pipeline/books/reports/tax-year/tax-year.js';
import { USUAL } from '../../pipeline/books/terms.js';
import { instantText } from '../../pipeline/holdings/values/time.js';
import type { CountryRules } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { coveredBlockBefore, coveredBlocks, dayAt, nanosOf } from '../tax/dataset/instants.js';
import { type TaxYearRequest, taxYearBooks, type YearBooks } from '../tax/dataset/tax-year-books.js';
import { coinsOf, type HeldCoins, type PriceDay, sumOfWallets, valuesOf, walletAt } from '../tax/dataset/wallet-at.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { refusal } from '../tax/parameters/faults.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { indexDays, upTo } from '../tax/parameters/time-range.js';

export const taxYear = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/tax-year',
  summary: 'A tax year by the rules of a country: income, disposals, holdings at its end, and the lines of its form.',
  description:
    'Money is in the country’s currency, days in its zone. What is not known is null. Where all coins of a person are one pool, ' +
    'gains need complete=true. Rules are data with a state of review; none is advice.',
  parameters: [
    'address',
    'chain',
    'timezone',
    'country',
    'tax_year',
    'tax_currency',
    'tax_method',
    'income',
    'complete',
    'tags',
    'asset_decisions',
    'opening_lots',
    'format_with_pdf',
    'section',
    'bom',
  ],
  post: true,
  response: 'tax-year',
  csv: true,
  profileTypes: ['application/pdf'],
  policy: 'tax',
  replayed: true,
  // Decisions about rows outside the year also apply, because they change what is sold in it, or its cost.
  decisions: { period: (parameters) => upTo(lastMoment(parameters)), saved: true, undecided: 'refused' },
  isExpensive: ({ format }) => format === 'pdf',
  admit({ parameters, dataset }): void {
    const { taxYear, source } = parameters;
    const { first, last } = indexDays(dataset, zoneNamed(taxYear!.timezone));
    const refuse = (message: string) => refusal(source, [{ name: 'tax_year', path: '', message }]);
    if (taxYear!.last < first) throw refuse(`ends before the index, which covers ${first} to ${last}`);
    if (taxYear!.first > last) throw refuse(`begins after the index, which covers ${first} to ${last}`);
  },
  handle({ parameters, dataset }): Answer | Promise<Answer> {
    const request = { ...parameters, taxYear: parameters.taxYear! };
    const content = contentOf(request, dataset);
    const { addresses, range, format, section } = parameters;
    const coverage = dataset.coverageOf(range, addresses);
    if (format === 'json') return { json: jsonOf(content, request, dataset) };
    if (format === 'pdf') return pdfOf(content, request, dataset);
    const name = `tax-year-${section}`;
    const file = { fileName: fileNameOf(name, addresses, [request.taxYear.first, request.taxYear.last]), coverage };
    if (section === 'income') return csvAnswer(INCOME_FIELDS, content.income.kinds, file);
    if (section === 'holdings') return csvAnswer(HELD_FIELDS, knownHoldings(content).assets, file);
    return csvAnswer(LINE_FIELDS, content.lines, file);
  },
} satisfies Endpoint;

/** Returns the last second whose rows change the answer. */
function lastMoment({ range, taxYear }: ValidParameters): string {
  const { method, timezone, last } = taxYear!;
  return LOOKS_AHEAD.includes(method) ? lastSecond(zoneNamed(timezone), addDays(last, LATER_DAYS)) : range.to;
}

function knownHoldings({ holdings }: Content): Holdings {
  if (holdings) return holdings;
  // A file without lines would look like wallets without coins.
  throw new Problem('unavailable', 'this dataset has no holdings at the end of this year', { lasting: true });
}

interface Content {
  readonly books: YearBooks;
  readonly income: IncomeFigures;
  readonly disposals: DisposalFigures;
  readonly lines: readonly LineRow[];
  readonly holdings: Holdings | null;
}

function contentOf(request: TaxYearRequest, dataset: Dataset): Content {
  const books = taxYearBooks(request, dataset);
  const { rules } = dataset.reference;
  const { terms, years } = books;
  const { currency } = terms.valuer;
  const withheld = withheldOf(books, request);
  const matches = request.taxYear.method !== 'none';
  const freeMeans = terms.free === null ? null : terms.freeMeans;
  const tagOf = (row: string) => request.decisions.tags.get(row)?.in?.tag;
  return {
    books,
    income: incomeOf(years, { known: books.unclaimed, unknown: books.unclaimedUnknown }, tagOf, rules, currency),
    disposals: disposalsOf(years, { withheld, matches, freeMeans }, rules, currency),
    lines: years.flatMap(({ lines }) => lines.map((line) => lineRow(line, withheld, freeMeans, currency, dataset))),
    holdings: holdingsOf(books, withheld, request, dataset),
  };
}

function withheldOf({ scope }: YearBooks, { taxYear: { method, isComplete } }: TaxYearRequest): Withheld | null {
  if (method === 'portfolio') return 'portfolio_value_needed';
  return scope === 'person' && method !== 'none' && !isComplete ? 'pool_not_complete' : null;
}

const money = (minor: bigint | null, { minorDigits }: Currency) =>
  minor === null ? null : formatMinor(minor, minorDigits);

function lineRow(
  { entry, denom, units, rule, acquired, proceeds, cost, gain, isOver }: Line,
  withheld: Withheld | null,
  freeMeans: 'exempt' | 'long_term' | null,
  currency: Currency,
  { reference: { rules } }: Dataset,
) {
  const { symbol, decimals } = rules.denomination(denom);
  const known = (minor: bigint | null) => (withheld === null ? (money(minor, currency) ?? '') : '');
  return {
    date: entry.day,
    tx_hash: entry.tx_hash,
    row: entry.event_id,
    symbol,
    denom,
    quantity: formatDecimal(units, decimals),
    acquired: acquired ?? '',
    term: freeMeans === 'long_term' && isOver !== null ? (isOver ? 'LONG' : 'SHORT') : '',
    rule,
    proceeds: money(proceeds, currency) ?? '',
    cost: known(cost),
    gain: known(gain),
    exempt: freeMeans === 'exempt' && isOver === null ? '' : String(freeMeans === 'exempt' && isOver === true),
  };
}

type LineRow = ReturnType<typeof lineRow>;

interface HeldAsset {
  readonly symbol: string;
  readonly denom: string;
  readonly liquid: string;
  readonly staked: string | null;
  readonly unbonding: string | null;
  readonly unclaimed: string | null;
  /** Value of one displayed unit. */
  readonly price: string | null;
  readonly value: string | null;
  readonly unclaimed_value: string | null;
  readonly cost: string | null;
}

interface Holdings {
  readonly at: string;
  readonly height: number;
  readonly assets: readonly HeldAsset[];
}

/** Returns what all wallets hold when the year ends, or after the last block; null if the dataset does not know it. */
function holdingsOf(
  { terms, years }: YearBooks,
  withheld: Withheld | null,
  { addresses, taxYear: { last } }: TaxYearRequest,
  dataset: Dataset,
): Holdings | null {
  const covered = dataset.manifest.holdings_until === null ? undefined : coveredBlocks(dataset);
  if (!covered) return null;
  const end = nanosOf(addDays(last, 1), terms.zone);
  const isOver = end <= covered.last.time;
  const moment = isOver ? coveredBlockBefore(dataset, end, covered) : covered.last;
  const wallets = moment ? addresses.flatMap((address) => walletAt(dataset, address, moment) ?? []) : [];
  if (!moment || wallets.length < addresses.length) return null;
  const price = { day: isOver ? dayAt(end - 1n) : dayAt(moment.time), isLatest: !isOver };
  const costs = costsOf(years, withheld);
  const assets = coinsOf(sumOfWallets(wallets), dataset.reference.chain.native_denom)
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map((held) => heldAsset(held, costs.get(held.denom) ?? null, price, terms, dataset));
  return { at: isOver ? instantText(end) : instantText(moment.time), height: moment.height, assets };
}

function costsOf(years: YearBooks['years'], withheld: Withheld | null): Map<string, bigint | null> {
  const sums = new Map<string, bigint | null>();
  if (withheld !== null) return sums;
  for (const [denom, cost] of years.flatMap(({ costs }) => [...costs])) {
    const sum = sums.has(denom) ? sums.get(denom)! : 0n;
    sums.set(denom, sum === null || cost === null ? null : sum + cost);
  }
  return sums;
}

function heldAsset(
  held: HeldCoins,
  cost: bigint | null,
  priced: PriceDay,
  { valuer }: YearBooks['terms'],
  dataset: Dataset,
): HeldAsset {
  const { denom, liquid, staked, unbonding, unclaimed } = held;
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const { price, value, unclaimedValue } = valuesOf(held, priced, valuer, dataset);
  const priceInCurrency = price === null ? null : valuer.priceOf(price, priced.day);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  const amountOrNull = (units: bigint | null) => (units === null ? null : amount(units));
  return {
    ...{ symbol, denom, liquid: amount(liquid), staked: amountOrNull(staked), unbonding: amountOrNull(unbonding) },
    unclaimed: amountOrNull(unclaimed),
    price: priceInCurrency === null ? null : formatDecimal(priceInCurrency, PRICE_DECIMALS),
    value: money(value, valuer.currency),
    unclaimed_value: money(unclaimedValue, valuer.currency),
    cost: money(cost, valuer.currency),
  };
}

function jsonOf({ books, income, disposals, holdings }: Content, request: TaxYearRequest, dataset: Dataset) {
  const { addresses, range, taxYear } = request;
  const { rules, scope, terms } = books;
  const { timezone, currency, method, first, last } = taxYear;
  const { zone } = terms;
  const { lastDay } = dataset.exchangeRates();
  const begins = (day: string) => zone.localText(firstSecond(zone, day));
  return {
    country: taxYear.country,
    rules: rules ? { version: rules.version, effective_date: rules.effective_date, review: rules.review } : null,
    year: { name: nameOf(first), start: begins(first), end: begins(addDays(last, 1)) },
    ...{ currency, timezone, method, scope, income_rule: taxYear.income },
    methodology_version: dataset.manifest.methodology_version,
    rates: currency === USUAL.currency.code ? null : { source: RATES_SOURCE, last_day: lastDay },
    ...{ income, disposals, holdings },
    form: formOf(rules, { income, disposals, holdings }, terms.valuer.currency),
    open: openOf(books, { income, disposals }, request, dataset),
    coverage: dataset.coverageOf(range, addresses),
  };
}

async function pdfOf(content: Content, request: TaxYearRequest, dataset: Dataset): Promise<Answer> {
  const { addresses, taxYear } = request;
  const { books } = content;
  const answer = jsonOf(content, request, dataset);
  const { taxYearPdf } = await import('../tax/formats/tax-year-pdf.js'); // imported only when needed, because loading pdf-lib takes 250 ms
  const bytes = await taxYearPdf({
    ...{ addresses, terms: taxYear, answer, country: books.rules, currency: books.terms.valuer.currency },
    incomplete: dataset.incompleteWallets(addresses),
    made: new Date(dataset.time),
  });
  const fileName = fileNameOf('tax-year', addresses, [taxYear.first, taxYear.last], 'pdf');
  return { bytes, type: 'application/pdf', fileName, coverage: answer.coverage };
}

const RATES_SOURCE = 'euro reference rates of the European Central Bank';

const nameOf = (first: string) => {
  const year = Number(first.slice(0, 4));
  return first.endsWith('-01-01') ? String(year) : `${year}/${String((year + 1) % 100).padStart(2, '0')}`;
};

type Figures = Pick<Content, 'income' | 'disposals' | 'holdings'>;

/** Returns the form's lines. A line with a part that is not known is null. */
function formOf(rules: CountryRules | undefined, figures: Figures, currency: Currency) {
  return (rules?.form ?? []).map(({ form, line, label, sum }) => {
    const parts = sum.map((name) => figureNamed(name, figures, currency));
    const value = parts.includes(null) ? null : parts.reduce<bigint>((all, part) => all + part!, 0n);
    return { form, line, label, value: money(value, currency) };
  });
}

function figureNamed(name: string, { income, disposals, holdings }: Figures, currency: Currency): bigint | null {
  const [part, figure] = name.split('.') as [string, string];
  const minor = (text: string | null) => (text === null ? null : parseDecimal(text, currency.minorDigits));
  if (part === 'income') return minor(income.total);
  if (part === 'disposals') return minor((disposals as unknown as Record<string, string | null>)[figure]!);
  if (!holdings) return null;
  const values = holdings.assets.map((asset) => minor(asset[figure as 'value' | 'unclaimed_value' | 'cost']));
  return values.includes(null) ? null : values.reduce<bigint>((all, value) => all + value!, 0n);
}

interface OpenQuestion {
  readonly kind: string;
  readonly count: number;
  readonly url: string;
}

function openOf(
  { rules, unclaimedUnknown }: YearBooks,
  { income, disposals }: Pick<Content, 'income' | 'disposals'>,
  { addresses, taxYear, timezone }: TaxYearRequest,
  dataset: Dataset,
): OpenQuestion[] {
  const { first: start, last: end } = taxYear;
  const period = new URLSearchParams({ address: addresses.join(','), start, end, timezone: taxYear.timezone });
  const [rows, lines] = [`/api/tax/v1/events?${period}`, `/api/tax/v1/journal?${period}&format=json`];
  const until = addDays(end, LATER_DAYS);
  const unpriced = income.kinds.reduce((sum, { value_missing: missing }) => sum + missing, 0);
  const questions: OpenQuestion[] = [
    { kind: 'income_without_price', count: unpriced, url: rows },
    { kind: 'disposals_of_unknown_cost', count: disposals.unknown.count, url: lines },
    { kind: 'disposals_without_price', count: disposals.proceeds_missing, url: lines },
    { kind: 'unclaimed_at_year_end_unknown', count: unclaimedUnknown, url: '' },
    { kind: 'timezone_of_taxpayer', count: rules?.timezone === null && timezone === undefined ? 1 : 0, url: '' },
    {
      kind: `acquisitions_until_${until}`,
      count: LOOKS_AHEAD.includes(taxYear.method) && dataset.indexEnd <= until ? 1 : 0,
      url: '',
    },
  ];
  return questions.filter(({ count }) => count > 0);
}

/** Methods by which acquisitions of the days after a year change its answer. */
const LOOKS_AHEAD: readonly ValidParameters['profile'][] = ['same_day_30_days_pool', 'moving_average_superficial'];
const LATER_DAYS = 30;

const incomeFields = fieldsOf<IncomeKind>();
const INCOME_FIELDS = [
  incomeFields.word('kind'),
  incomeFields.text('account'),
  incomeFields.text('symbol'),
  incomeFields.text('denom'),
  incomeFields.number('count'),
  incomeFields.decimal('quantity'),
  incomeFields.decimal('value', ({ value }) => value ?? ''),
  incomeFields.number('value_missing'),
];

const lineFields = fieldsOf<LineRow>();
const LINE_FIELDS = [
  lineFields.word('date'),
  lineFields.word('tx_hash'),
  lineFields.word('row'),
  lineFields.text('symbol'),
  lineFields.text('denom'),
  lineFields.decimal('quantity'),
  lineFields.word('acquired'),
  lineFields.word('term'),
  lineFields.word('rule'),
  lineFields.decimal('proceeds'),
  lineFields.decimal('cost'),
  lineFields.decimal('gain'),
  lineFields.boolean('exempt'),
];

const heldFields = fieldsOf<HeldAsset>();
const HELD_FIELDS = [
  heldFields.text('symbol'),
  heldFields.text('denom'),
  heldFields.decimal('liquid'),
  heldFields.decimal('staked', ({ staked }) => staked ?? ''),
  heldFields.decimal('unbonding', ({ unbonding }) => unbonding ?? ''),
  heldFields.decimal('unclaimed', ({ unclaimed }) => unclaimed ?? ''),
  heldFields.decimal('price', ({ price }) => price ?? ''),
  heldFields.decimal('value', ({ value }) => value ?? ''),
  heldFields.decimal('unclaimed_value', ({ unclaimed_value }) => unclaimed_value ?? ''),
  heldFields.decimal('cost', ({ cost }) => cost ?? ''),
];
