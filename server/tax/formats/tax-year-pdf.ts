/** Prints a tax year on one to three pages. Long lists are cut to the lines that fit. The CSV files have all lines. */

import type { Currency } from '../../../pipeline/books/currencies/currency.js';
import { methodWords } from '../../../pipeline/books/pools/index.js';
import type { DisposalFigures, IncomeFigures } from '../../../pipeline/books/reports/tax-year/figures.js';
import {
  gainWord,
  gapsOf,
  gapsOfLine,
  INCOME_RULES,
  isOfGains,
  NOT_MATCHED,
  nameWords,
  openWords,
  type Part,
  WITHHELD,
} from '../../../pipeline/books/reports/tax-year/words.js';
import type { CountryRules, Coverage, TaxYear } from '../../../schemas/types.generated.js';
import type { TaxYearTerms } from '../parameters/reading.js';
import {
  addWallets,
  type Column,
  grouped,
  isZero,
  LINE,
  MARGIN,
  Paper,
  paperOf,
  printedDay,
  printedGaps,
  printedName,
} from './paper.js';

type Asset = NonNullable<TaxYear['holdings']>['assets'][number];
type Quantities = 'liquid' | 'staked' | 'unbonding' | 'unclaimed';

interface Holdings {
  readonly at: string;
  readonly height: number;
  readonly assets: readonly Pick<
    Asset,
    'symbol' | 'denom' | Quantities | 'price' | 'value' | 'unclaimed_value' | 'cost'
  >[];
}

export interface TaxYearContent {
  readonly addresses: readonly string[];
  readonly terms: TaxYearTerms;
  readonly currency: Currency;
  /** Undefined if the request states all terms. */
  readonly country: CountryRules | undefined;
  /** The answer as JSON. */
  readonly answer: {
    readonly year: { readonly name: string; readonly end: string };
    readonly scope: CountryRules['scope'];
    readonly methodology_version: string;
    readonly rates: { readonly source: string; readonly last_day: string | null } | null;
    readonly income: IncomeFigures;
    readonly disposals: DisposalFigures;
    readonly holdings: Holdings | null;
    readonly form: readonly { form: string; line: string; label: string; value: string | null }[];
    readonly open: readonly { readonly kind: string; readonly count: number }[];
    readonly coverage: Coverage;
  };
  /** Wallets whose rows are not proved to be complete. */
  readonly incomplete: readonly string[];
  readonly made: Date;
}

const SPACE = 12;
const WALLETS_IN_HEADING = 2;

export async function taxYearPdf(content: TaxYearContent): Promise<Uint8Array> {
  const { addresses, answer, terms, made } = content;
  const wallets = addresses.length === 1 ? addresses[0] : `${addresses.length} wallets`;
  const paper = await Paper.create({ title: `${titleOf(content)} of ${wallets}`, made, size: paperOf(terms.country) });
  paper.addPage();
  addHeading(paper, content);
  addTerms(paper, content);
  addForm(paper, content);
  addIncome(paper, content);
  addDisposals(paper, content);
  addHoldings(paper, content);
  addOpen(paper, content);
  addSources(paper, content);
  if (addresses.length > WALLETS_IN_HEADING) addWallets(paper, addresses);
  return paper.save(`hubledger · dataset ${answer.coverage.generation} · records for tax preparation, not tax advice`);
}

const titleOf = ({ answer, country }: TaxYearContent) =>
  `Tax year ${answer.year.name}${country ? `, ${country.name}` : ''}`;

const widthOf = (paper: Paper) => paper.rightEdge - MARGIN;

function addHeading(paper: Paper, content: TaxYearContent): void {
  const { addresses, terms, country, answer, incomplete } = content;
  paper.down(8);
  paper.write(titleOf(content), MARGIN, { size: 17, bold: true });
  paper.write('Tax records of the Cosmos Hub', paper.rightEdge, { size: 10, right: true, soft: true });
  paper.down(18);
  if (country?.review === 'draft')
    paper.paragraph('Draft: no professional has confirmed these rules.', MARGIN, widthOf(paper), { bold: true });
  const { covered_from: from, covered_to: to } = answer.coverage;
  const lackingDays =
    from && to
      ? `Not every day of this year is recorded: only ${printedDay(from)} to ${printedDay(to)}. Amounts of other days are missing here.`
      : 'These days are not recorded: every amount is missing here.';
  const gaps = printedGaps(answer.coverage, [terms.first, terms.last], lackingDays, incomplete);
  if (gaps !== '') paper.paragraph(gaps, MARGIN, widthOf(paper), { bold: true });
  if (addresses.length <= WALLETS_IN_HEADING) {
    for (const address of addresses) {
      paper.write(address, MARGIN);
      paper.down(LINE);
    }
  } else {
    paper.write(`${addresses.length} wallets, which are listed at the end.`, MARGIN);
    paper.down(LINE);
  }
  paper.down(4);
}

function addTerms(paper: Paper, { terms, currency, country, answer }: TaxYearContent): void {
  const stated = (['currency', 'timezone', 'method', 'income'] as const).filter(
    (name) => country && country[name] !== null && country[name] !== terms[name],
  );
  const lines: readonly (readonly [string, string])[] = [
    ['Year', `${printedDay(terms.first)} – ${printedDay(terms.last)}, days of ${terms.timezone}`],
    ['Currency', currency.words === currency.code ? currency.code : `${currency.words} (${currency.code})`],
    ['Method', methodWords(terms.method)],
    ['Scope', scopeWords(answer.scope, terms.isComplete)],
    ['Income', INCOME_RULES[terms.income]],
    ['Rules', country ? rulesWords(country) : 'no country: the request states all terms'],
    ...(stated.length > 0 ? [['By request', `not the country’s rule: ${stated.join(', ')}`] as const] : []),
  ];
  for (const [name, text] of lines) {
    paper.write(name, MARGIN, { soft: true });
    paper.paragraph(text, MARGIN + 70, widthOf(paper) - 70);
  }
  paper.down(SPACE);
}

const scopeWords = (scope: CountryRules['scope'], isComplete: boolean): string => {
  if (scope === 'address') return 'each wallet has its own coins';
  const says = isComplete ? 'says' : 'does not say';
  return `all wallets of this request are one person’s; the request ${says} that the person has no others`;
};

const rulesWords = ({ name, version, effective_date: day, review }: CountryRules): string =>
  `${name}, version ${version} of ${printedDay(day)}, ${review === 'draft' ? 'draft' : 'reviewed by a professional'}`;

const NOT_KNOWN = 'not known';

/** Formats an amount. A sum of zero that lacks parts is unknown; other sums that lack parts have an asterisk. */
function amount(value: string | null, isPartial = false, unknown = NOT_KNOWN): string {
  if (value === null || (isPartial && isZero(value))) return unknown;
  return grouped(value) + (isPartial ? ' *' : '');
}

const counted = (count: number, noun: string) => `${grouped(String(count))} ${noun}${count === 1 ? '' : 's'}`;

/** Returns what the sums of a part lack. */
const lackingIn = ({ answer }: TaxYearContent, part: Part) => gapsOf(answer, counted)[part];

const unknownGain = ({ answer: { disposals }, terms }: TaxYearContent) =>
  gainWord(disposals.withheld, terms.method, NOT_KNOWN);

function addForm(paper: Paper, content: TaxYearContent): void {
  const { answer, country, currency } = content;
  paper.heading(`Lines of the form, in ${currency.code}`);
  if (answer.form.length === 0) {
    paper.write(country ? 'The rules name no form.' : 'Without a country there is no form.', MARGIN);
    paper.down(LINE);
  }
  const gaps = gapsOf(answer, counted);
  answer.form.forEach(({ form, line, label, value }, i) => {
    const sum: readonly string[] = country?.form[i]?.sum ?? [];
    const lacking = gapsOfLine(sum, gaps);
    const text = amount(value, lacking.length > 0, isOfGains(sum) ? unknownGain(content) : NOT_KNOWN);
    const place = `${form}, ${line}`;
    paper.need(2 * LINE);
    paper.write(place, MARGIN, { bold: true, size: paper.fitted(place, 200, 9) });
    paper.write(label, MARGIN + 210, { size: paper.fitted(label, widthOf(paper) - 320, 9, false) });
    paper.write(text, paper.rightEdge, { bold: true, right: true, size: paper.fitted(text, 100, 9) });
    paper.down(LINE);
    if (lacking.length === 0) return;
    paper.write(`* Without ${lacking.join(' and ')}.`, MARGIN + 210, { soft: true, size: 7 });
    paper.down(LINE);
  });
  for (const threshold of country?.thresholds ?? [])
    paper.paragraph(`Not applied here: ${threshold}`, MARGIN, widthOf(paper), { soft: true });
  paper.down(SPACE);
}

/** Writes the first lines of a list, and how many more the CSV file has. */
function addTable(
  paper: Paper,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { max, section }: { readonly max: number; readonly section: string },
): void {
  paper.table(paper.within(columns), rows.slice(0, max));
  if (rows.length > max) {
    paper.write(`and ${counted(rows.length - max, 'more line')} in the CSV file (section=${section})`, MARGIN, SOFT);
    paper.down(LINE);
  }
}

const SOFT = { soft: true };

interface Coin {
  readonly symbol: string;
  readonly denom: string;
}

/** Sorts coins of the asset registry first, so that a cut list has them. The symbol of other coins is their denom. */
const listedFirst = <Of extends Coin>(coins: readonly Of[]): Of[] =>
  [...coins].sort((a, b) => Number(a.symbol === a.denom) - Number(b.symbol === b.denom));

const INCOME_COLUMNS: readonly Column[] = [
  { name: 'Kind', x: MARGIN, width: 150 },
  { name: 'Coin', x: 190, width: 70 },
  { name: 'Receipts', x: 310, width: 50, right: true },
  { name: 'Quantity', x: 420, width: 105, right: true },
  { name: 'Value', x: 510, width: 85, right: true },
  { name: 'Without a value', x: 576, width: 62, right: true },
];
const INCOME_MAX = 20;

function addIncome(paper: Paper, content: TaxYearContent): void {
  const { income, coverage } = content.answer;
  const gaps = lackingIn(content, 'income');
  paper.need(5 * LINE);
  paper.heading(`Income by kind, in ${content.currency.code}`);
  const isRecorded = coverage.covered_from !== null;
  if (income.kinds.length > 0) {
    const rows = listedFirst(income.kinds).map(({ kind, symbol, count, quantity, value, value_missing }) => [
      nameWords(kind),
      printedName(symbol),
      grouped(String(count)),
      grouped(quantity),
      amount(value, value_missing > 0),
      value_missing > 0 ? grouped(String(value_missing)) : 'none',
    ]);
    addTable(paper, INCOME_COLUMNS, rows, { max: INCOME_MAX, section: 'income' });
    pair(paper, 'Total', amount(income.total, gaps.length > 0), { bold: true });
  } else {
    paper.write(!isRecorded ? 'Not recorded.' : gaps.length > 0 ? 'Not known.' : 'No income.', MARGIN);
    paper.down(LINE);
  }
  if (gaps.length > 0) {
    paper.write(`* Without ${gaps.join(' and ')}.`, MARGIN, SOFT);
    paper.down(LINE);
  }
  paper.down(SPACE);
}

/** Writes a name and its amount. */
function pair(paper: Paper, name: string, text: string, style: { readonly bold?: boolean } = {}): void {
  const right = 510;
  paper.need(LINE);
  paper.write(name, MARGIN, style);
  paper.write(text, right, { ...style, right: true, size: paper.fitted(text, 250, 8, style.bold) });
  paper.down(LINE);
}

const COINS_MAX = 12;

function addDisposals(paper: Paper, content: TaxYearContent): void {
  const { disposals, coverage } = content.answer;
  const { terms, country, currency } = content;
  const isPartial = lackingIn(content, 'disposals').length > 0;
  const gain = (value: string | null) => amount(value, isPartial, unknownGain(content));
  paper.need(14 * LINE);
  paper.heading(`Disposals, in ${currency.code}`);
  if (disposals.count === 0) {
    paper.write(coverage.covered_from === null ? 'Not recorded.' : 'No disposals.', MARGIN);
    paper.down(LINE + SPACE);
    return;
  }
  const coins = listedFirst(disposals.quantity_by_asset).map(
    ({ symbol, quantity }) => `${grouped(quantity)} ${printedName(symbol)}`,
  );
  const more = coins.length > COINS_MAX ? ` and ${counted(coins.length - COINS_MAX, 'more coin')}` : '';
  paper.paragraph(
    `${counted(disposals.count, 'disposal')}: ${coins.slice(0, COINS_MAX).join(', ')}${more}.`,
    MARGIN,
    widthOf(paper),
  );
  pair(paper, 'Proceeds', amount(disposals.proceeds, isPartial));
  pair(paper, 'Cost', gain(disposals.cost));
  pair(paper, 'Gain or loss', gain(disposals.gain), { bold: true });
  if (country?.free?.means === 'long_term') {
    pair(paper, 'Short-term gain or loss', gain(disposals.short_gain));
    pair(paper, 'Long-term gain or loss', gain(disposals.long_gain));
  }
  if (country?.free?.means === 'exempt') {
    pair(paper, 'Taxable gain or loss', gain(disposals.taxable_gain));
    pair(paper, 'Exempt gain or loss', gain(disposals.exempt_gain));
  }
  const { unknown, proceeds_missing: unpriced } = disposals;
  pair(paper, 'Lines of unknown cost, part of no sum', unknown.count > 0 ? grouped(String(unknown.count)) : 'none');
  if (unknown.count > 0) pair(paper, 'Their proceeds', amount(unknown.proceeds));
  pair(paper, 'Lines without a price, part of no sum', unpriced > 0 ? grouped(String(unpriced)) : 'none');
  const notes = [
    ...(isPartial ? ['* Without the lines that are part of no sum.'] : []),
    ...(disposals.withheld === null ? [] : [WITHHELD[disposals.withheld]]),
    ...(disposals.withheld === 'pool_not_complete' ? ['A request says so by complete=true.'] : []),
    ...(terms.method === 'none' ? [NOT_MATCHED] : []),
    'The lines of the disposals are not printed: the CSV file (section=disposals) has them.',
  ];
  paper.paragraph(notes.join(' '), MARGIN, widthOf(paper), SOFT);
  paper.down(SPACE);
}

const HOLDINGS_COLUMNS: readonly Column[] = [
  { name: 'Coin', x: MARGIN, width: 58 },
  ...['Liquid', 'Staked', 'Unbonding', 'Unclaimed', 'Price', 'Value', 'Of unclaimed', 'Cost'].map((name, i) => ({
    ...{ name, x: 156 + i * 60, width: 56, right: true },
  })),
];
const HOLDINGS_MAX = 20;

function addHoldings(paper: Paper, content: TaxYearContent): void {
  const { holdings, year } = content.answer;
  paper.need(6 * LINE);
  const isLast = holdings !== null && Date.parse(holdings.at) < Date.parse(year.end);
  const when = isLast ? 'after the last block, before the year ends' : 'at the end of the year';
  paper.heading(`Holdings ${when}, in ${content.currency.code}`);
  if (!holdings || holdings.assets.length === 0) {
    paper.write(holdings ? 'No coins.' : 'Not known: this dataset has no holdings of that moment.', MARGIN);
    paper.down(LINE + SPACE);
    return;
  }
  const rows = listedFirst(holdings.assets).map((asset) => [
    printedName(asset.symbol),
    ...[asset.liquid, asset.staked, asset.unbonding, asset.unclaimed].map((quantity) => amount(quantity)),
    ...[asset.price, asset.value, asset.unclaimed_value].map((value) => amount(value)),
    amount(asset.cost, false, unknownGain(content)),
  ]);
  addTable(paper, HOLDINGS_COLUMNS, rows, { max: HOLDINGS_MAX, section: 'holdings' });
  const moment = `After block ${grouped(String(holdings.height))}, at ${holdings.at}.`;
  paper.paragraph(`${moment} Values are of liquid, staked and unbonding coins.`, MARGIN, widthOf(paper), SOFT);
  paper.down(SPACE);
}

function addOpen(paper: Paper, { answer: { open } }: TaxYearContent): void {
  paper.need((open.length + 3) * LINE);
  paper.heading('Still open');
  if (open.length === 0) {
    paper.write('Nothing is open.', MARGIN);
    paper.down(LINE);
  }
  for (const one of open) {
    const [text, count] = openWords(one, printedDay);
    pair(paper, text, count === undefined ? '' : grouped(String(count)));
  }
  paper.down(SPACE);
}

function addSources(paper: Paper, { answer, country }: TaxYearContent): void {
  const { rates, coverage, methodology_version: methodology } = answer;
  const lastDay = rates?.last_day ? printedDay(rates.last_day) : NOT_KNOWN;
  const text = [
    rates ? `Rates: ${rates.source}; last day: ${lastDay}.` : 'No exchange rate is used.',
    `Prices are those of the UTC day (methodology ${methodology}).`,
    country ? `Rules: ${rulesWords(country)}.` : 'Rules: those of the request.',
    `Dataset ${coverage.generation}, height ${grouped(String(coverage.height))}.`,
    'What is not known never counts as zero. These are records for tax preparation, not tax advice.',
  ].join(' ');
  paper.need(7 * LINE);
  paper.heading('How it is computed');
  paper.paragraph(text, MARGIN, widthOf(paper), { size: 7.5, soft: true });
  paper.down(SPACE);
}
