/**
 * Prints the summary of one year on a single page, for one or more wallets. Lists are cut to the lines that fit. The
 * CSV summary has all lines.
 */
import { formatCents, formatDecimal } from '../../../pipeline/base/values/amount.js';
import type { Rules } from '../../../pipeline/books/ledger/rules.js';
import { INCOME, type IncomeMonth, type SheetLines } from '../../../pipeline/books/reports/summary/sheet.js';
import { sentences, type Terms, USUAL } from '../../../pipeline/books/terms.js';
import type { Coverage, UsReturn } from '../../../schemas/types.generated.js';
import { grouped, isZero, LINE, MARGIN, Paper, PORTRAIT, printedDay, printedGaps, printedName } from './paper.js';

export interface SummaryContent {
  readonly addresses: readonly string[];
  readonly days: readonly [string, string];
  readonly total: SheetLines;
  readonly months: readonly IncomeMonth[];
  readonly coverage: Coverage;
  /** Wallets whose rows are not proved to be complete. */
  readonly incomplete: readonly string[];
  readonly methodologyVersion: string;
  readonly terms: Terms;
  readonly recognitionPolicy: string;
  readonly usReturn: UsReturn;
  readonly rules: Rules;
  readonly made: Date;
}

/** Space between sections. */
const SPACE = 14;
const COLUMN = 260;
const RIGHT_COLUMN = MARGIN + COLUMN + 20;

export async function summaryPdf(content: SummaryContent): Promise<Uint8Array> {
  const { addresses, days, coverage, made } = content;
  const title = `${titleOf(days)} of ${addresses.length === 1 ? addresses[0] : `${addresses.length} wallets`}`;
  const paper = await Paper.create({ title, made, size: PORTRAIT });
  paper.addPage();
  addHeading(paper, content);
  addGlance(paper, content);
  addIncome(paper, content);
  addColumns(paper, [gainLines(content), reliefLines(content)]);
  addColumns(paper, [assetLines(content), openLines(content)]);
  addReturn(paper, content);
  addBasis(paper, content);
  return paper.save(`hubledger · dataset ${coverage.generation} · records for tax preparation, not tax advice`);
}

const isWholeYear = ([start, end]: readonly [string, string]) =>
  start.slice(0, 4) === end.slice(0, 4) && start.endsWith('-01-01') && end.endsWith('-12-31');

const titleOf = (days: readonly [string, string]) =>
  isWholeYear(days) ? `Year summary ${days[0].slice(0, 4)}` : `Summary ${days.map(printedDay).join(' – ')}`;

const WALLETS_SHOWN = 3;

function addHeading(paper: Paper, { addresses, days, coverage, incomplete }: SummaryContent): void {
  paper.down(8);
  paper.write(titleOf(days), MARGIN, { size: 17, bold: true });
  paper.write('Tax records of the Cosmos Hub', paper.rightEdge, { size: 10, right: true, soft: true });
  paper.down(18);
  const more = addresses.length > WALLETS_SHOWN ? `, and ${addresses.length - WALLETS_SHOWN} more wallets` : '';
  for (const address of addresses.slice(0, WALLETS_SHOWN)) {
    paper.write(address + (address === addresses[WALLETS_SHOWN - 1] ? more : ''), MARGIN);
    paper.down(LINE);
  }
  const { covered_from: from, covered_to: to } = coverage;
  const lackingDays =
    from && to
      ? `Not every day is recorded: only ${printedDay(from)} to ${printedDay(to)}. Amounts of other days are missing here.`
      : 'These days are not recorded: every amount is missing here.';
  const words = printedGaps(coverage, days, lackingDays, incomplete);
  if (words !== '') paper.paragraph(words, MARGIN, paper.rightEdge - MARGIN, { bold: true });
}

/** Formats an amount in US dollars; '' stays '' (unknown). */
const usd = (amount: string) => {
  const shown = grouped(amount.replace('-', ''));
  if (amount === '') return '';
  return amount.startsWith('-') ? `-${USUAL.currency.symbol}${shown}` : `${USUAL.currency.symbol}${shown}`;
};

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const NOT_KNOWN = 'Not known yet';
const NONE = 'None';

interface Amount {
  readonly figure: string;
  /** True if the figure is a sum that lacks receipts or sales. */
  readonly isPartial: boolean;
}

/** Formats the gain of a term. Without a known sale it is unknown, or there is none; it is never zero. */
function termGain({ disposed }: SheetLines, term: 'short' | 'long'): Amount {
  const isAll = disposed.gain_known === 'all';
  if (disposed[`sales_${term}`] === 0) return { figure: isAll ? NONE : NOT_KNOWN, isPartial: false };
  return { figure: usd(disposed[`gain_${term}_usd`]), isPartial: !isAll };
}

const soFar = ({ figure, isPartial }: Amount) => (isPartial ? `${figure} so far` : figure);

type Figure = readonly [name: string, figure: string, note: string];

/** Less than half of the sales give no sum in large letters. The note has it. */
function gainFigure(name: string, total: SheetLines, term: 'short' | 'long'): Figure {
  const { gain_known, sales, sales_unknown, [`sales_${term}` as const]: known } = total.disposed;
  const { figure, isPartial } = termGain(total, term);
  const lacking = `${grouped(String(sales_unknown))} of ${salesWords(sales)} not fully known`;
  if (!isPartial) return [name, figure, figure === NOT_KNOWN ? lacking : ''];
  if (gain_known === 'some') return [name, NOT_KNOWN, `so far: ${figure} of ${salesWords(known)}; ${lacking}`];
  return [name, figure, `so far: ${salesWords(known)}; ${lacking}`];
}

const salesWords = (sales: number) => `${grouped(String(sales))} ${sales === 1 ? 'sale' : 'sales'}`;

/** Sums an income or fees of which some have no price. */
const scopeOf = (count: number, unpriced: number) =>
  unpriced === 0 || unpriced === count
    ? ''
    : `so far: ${grouped(String(count - unpriced))} of ${grouped(String(count))}`;

const countsOf = (lines: readonly { readonly count: number; readonly without_price: number }[]) =>
  [sumOf(lines.map(({ count }) => count)), sumOf(lines.map((line) => line.without_price))] as const;

function addGlance(paper: Paper, { total }: SummaryContent): void {
  const { disposals, fees_usd, income, income_usd } = total;
  const fees = disposals.filter(({ account }) => account === 'Expense: Network Fees');
  const figures: Figure[] = [
    ['Income', usd(income_usd) || NOT_KNOWN, scopeOf(...countsOf(income))],
    gainFigure('Short-term gain', total, 'short'),
    gainFigure('Long-term gain', total, 'long'),
    [
      'Network fees',
      usd(fees_usd) || NOT_KNOWN,
      [scopeOf(...countsOf(fees)), 'counted as sales'].filter(Boolean).join(', '),
    ],
  ];
  paper.down(8);
  const width = (paper.rightEdge - MARGIN) / figures.length;
  const top = paper.y;
  figures.forEach(([name, figure, note], i) => {
    const x = MARGIN + i * width;
    paper.y = top;
    paper.write(name, x, { soft: true });
    paper.down(15);
    paper.write(figure, x, { size: paper.fitted(figure, width - 8, 13), bold: true });
    paper.down(LINE);
    paper.write(note, x, { size: paper.fitted(note, width - 8, 7, false), soft: true });
  });
  paper.down(SPACE + 4);
}

/** If a period has more months, the table has one line per year. */
const MONTHS_MAX = 12;

function addIncome(paper: Paper, content: SummaryContent): void {
  const { months, days, coverage } = content;
  paper.heading('Income by month and kind');
  if (months.length === 0) {
    paper.write(coverage.covered_from ? 'No income.' : 'Not recorded.', MARGIN);
    paper.down(LINE + SPACE);
    return;
  }
  const kinds = [...new Set(months.map(({ account }) => account))].sort();
  const periods = periodsOf(days);
  const edges = [...kinds, 'Total'].map((_, i) => MARGIN + 150 + i * 97.5);
  const line = (name: string, cells: readonly string[], bold = false) => {
    paper.write(name, MARGIN, { bold });
    cells.forEach((cell, i) => {
      paper.write(cell, edges[i]!, { bold, right: true });
    });
    paper.down(LINE);
  };
  line('', [...kinds.map((kind) => kind.slice(INCOME.length)), 'Total'], true);
  for (const { name, recorded } of linesOf(periods, coverage)) {
    const monthsOfPeriod = months.filter(({ month }) => recorded !== '' && month.startsWith(recorded));
    if (recorded === '') line(name, [...kinds.map(() => ''), 'not recorded']);
    else line(name, [...kinds.map((kind) => sumText(monthsOfPeriod, kind)), sumText(monthsOfPeriod)]);
  }
  paper.down(2);
  paper.rule(MARGIN, paper.rightEdge, -9);
  line('Total', [...kinds.map((kind) => sumText(months, kind)), sumText(months)], true);
  paper.down(SPACE);
}

/** Returns the names of the table's lines. Neighboring periods that are not recorded share a line. */
function linesOf(periods: readonly string[], coverage: Coverage): { name: string; recorded: string }[] {
  const lines: { first: string; last: string; recorded: string }[] = [];
  for (const period of periods) {
    const recorded = isRecorded(period, coverage) ? period : '';
    const before = lines.at(-1);
    if (before && recorded === '' && before.recorded === '') before.last = period;
    else lines.push({ first: period, last: period, recorded });
  }
  const nameOf = (period: string) => (period.length === 4 ? period : printedDay(period));
  return lines.map(({ first, last, recorded }) => ({
    name: [...new Set([first, last])].map(nameOf).join(' – '),
    recorded,
  }));
}

function periodsOf([start, end]: readonly [string, string]): string[] {
  const months: string[] = [];
  for (let month = start.slice(0, 7); month <= end.slice(0, 7); month = monthAfter(month)) months.push(month);
  return months.length <= MONTHS_MAX
    ? months
    : [...new Set(months.map((month) => month.slice(0, 4)))].slice(-MONTHS_MAX);
}

const monthAfter = (month: string): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7);
};

const isRecorded = (period: string, { index_start, index_end }: Coverage) =>
  period >= index_start.slice(0, period.length) && period <= index_end.slice(0, period.length);

/** Sums the income of one kind, or of all kinds. Unknown income does not look like zero. */
function sumText(months: readonly IncomeMonth[], kind?: string): string {
  const monthsOfKind = months.filter(({ account }) => kind === undefined || account === kind);
  const cents = monthsOfKind.reduce((sum, month) => sum + month.cents, 0n);
  const [count, unpriced] = [
    sumOf(monthsOfKind.map((month) => month.count)),
    sumOf(monthsOfKind.map((month) => month.unpriced)),
  ];
  if (count > 0 && count === unpriced && cents === 0n) return 'no price';
  return monthsOfKind.length === 0 ? '–' : grouped(formatCents(cents)) + (unpriced > 0 ? ' *' : '');
}

interface ColumnLine {
  readonly texts: readonly string[];
  readonly soft?: boolean;
}

interface Column {
  readonly title: string;
  readonly lines: readonly ColumnLine[];
}

/** Prints two lists side by side. Each line has a text on the left and up to two amounts on the right. */
function addColumns(paper: Paper, columns: readonly Column[]): void {
  const top = paper.y;
  const bottoms = columns.map(({ title, lines }, i) => {
    const left = i === 0 ? MARGIN : RIGHT_COLUMN;
    const right = left + COLUMN;
    paper.y = top;
    paper.heading(title, left, right);
    for (const { texts, soft = false } of lines) {
      const [name = '', ...amounts] = texts;
      const edges = amounts.length > 1 ? [right - 80, right] : [right];
      amounts.forEach((amount, n) => {
        const size = paper.fitted(amount, amounts.length > 1 && n === 0 ? 108 : 76, 8, false);
        paper.write(amount, edges[n]!, { right: true, soft, size });
      });
      paper.write(name, left, { soft });
      paper.down(LINE);
    }
    return paper.y;
  });
  paper.y = Math.min(...bottoms) - SPACE;
}

function gainLines({ total }: SummaryContent): Column {
  const { disposed } = total;
  const { proceeds_basis_unknown_usd: unknown, without_price, sales } = disposed;
  const named = (name: string, known: number) => (known === 0 ? name : `${name} (${salesWords(known)})`);
  const lines: ColumnLine[] = [
    { texts: [named('Held for one year or less', disposed.sales_short), soFar(termGain(total, 'short'))] },
    { texts: [named('Held for longer', disposed.sales_long), soFar(termGain(total, 'long'))] },
    { texts: [`Proceeds of all ${salesWords(sales)}`, usd(disposed.proceeds_usd) || NOT_KNOWN] },
    { texts: ['Known cost of these sales', usd(disposed.cost_usd) || NOT_KNOWN] },
    ...(isZero(unknown) ? [] : [{ texts: ['Proceeds of unknown cost, part of no gain', usd(unknown)] }]),
    ...(without_price > 0 ? [{ texts: ['Sales without a price, part of no gain', String(without_price)] }] : []),
  ];
  return { title: 'Gains and losses by term', lines: sales === 0 ? [{ texts: ['No sales.'] }] : lines };
}

const RELIEFS: Readonly<Record<string, string>> = {
  gift: 'Gifts',
  donation: 'Donations',
  loss: 'Losses and slashes',
  own_transfer: 'To own wallets',
  other: 'Other',
};

/** Returns the coins that left without a sale, summed by kind, with their known cost. */
function reliefLines({ total: { reliefs } }: SummaryContent): Column {
  const lines = Object.entries(RELIEFS).flatMap(([kind, name]) => {
    const linesOfKind = reliefs.filter((line) => line.kind === kind);
    if (linesOfKind.length === 0) return [];
    const known = linesOfKind.filter(({ cost_usd }) => cost_usd !== '');
    const cents = known.reduce((sum, { cost_usd }) => sum + BigInt(cost_usd.replace('.', '')), 0n);
    const cost = known.length === 0 ? 'cost unknown' : `${usd(formatCents(cents))} cost`;
    return [{ texts: [`${name} (${sumOf(linesOfKind.map(({ count }) => count))})`, cost] }];
  });
  return { title: 'Left without a gain', lines: lines.length === 0 ? [{ texts: ['Nothing.'] }] : lines };
}

const ASSETS_SHOWN = 8;

function assetLines({ total: { assets }, days, coverage, rules }: SummaryContent): Column {
  const held = assets.flatMap(({ asset, denom, closing_cost_usd, ...closing }) => {
    const { decimals } = rules.denomination(denom);
    const old = unitsOf(closing.closing_before_index_quantity, decimals);
    const units = unitsOf(closing.closing_quantity, decimals) + old;
    const unknown = unitsOf(closing.closing_basis_unknown_quantity, decimals) + old;
    // A known cost of zero, as of excluded coins, must not look like the cost of the others.
    const isKnown = closing_cost_usd !== '' && !(isZero(closing_cost_usd) && unknown > 0n);
    const rank = denom === rules.nativeDenom ? 0 : rules.denomOf(denom) !== undefined ? 1 : isKnown ? 2 : 3;
    const cost = isKnown ? usd(closing_cost_usd) : 'unknown';
    return units === 0n ? [] : [{ name: asset, rank, quantity: formatDecimal(units, decimals), cost }];
  });
  held.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  const left = held.length - ASSETS_SHOWN;
  return {
    title: `Holdings at the end of ${printedDay(days[1] < coverage.index_end ? days[1] : coverage.index_end)}`,
    lines: [
      { texts: ['Coin', 'Quantity', 'Known cost'], soft: true },
      ...held.slice(0, ASSETS_SHOWN).map(({ name, quantity, cost }) => ({
        texts: [printedName(name), grouped(quantity), cost],
      })),
      ...(left > 0 ? [{ texts: [`and ${left} more, in the file “Positions”`], soft: true }] : []),
      ...(held.length === 0 ? [{ texts: ['Nothing.'] }] : []),
    ],
  };
}

const unitsOf = (decimal: string, decimals: number): bigint => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};

type Question = SheetLines['open'][number]['question'];

const QUESTIONS: Readonly<Record<Question, string>> = {
  undecided_receipts: 'Suspicious incoming transfers to decide',
  receipts_of_unknown_basis: 'Incoming transfers of unknown cost',
  assets_of_unknown_basis: 'Coins held at unknown cost',
  unclassified_rows: 'Unclassified transactions',
  days_without_price: 'Days without a price, all coins',
  rows_without_price: 'Income and sales of unknown value',
};

function openLines({ total: { open } }: SummaryContent): Column {
  const lines = Object.entries(QUESTIONS).flatMap(([question, name]) => {
    const count = sumOf(open.filter((line) => line.question === question).map((line) => line.count));
    return count === 0 ? [] : [{ texts: [name, grouped(String(count))] }];
  });
  return { title: 'Still open', lines: lines.length === 0 ? [{ texts: ['Nothing is open.'] }] : lines };
}

/** Adds nothing to a what-if calculation, because Form 8949 follows the usual method. */
function addReturn(paper: Paper, content: SummaryContent): void {
  if (sentences(content.terms).whatIf !== '') return;
  const { usReturn, total, months } = content;
  const { form_year, digital_assets_question, income, business_income, short_term, long_term } = usReturn;
  paper.heading(`Where it goes on a US return (forms for ${form_year})`);
  const isBusiness = ({ account }: IncomeMonth) => account === `${INCOME}Validator Commission`;
  const [business, other] = [months.filter(isBusiness), months.filter((month) => !isBusiness(month))];
  const dollars = (summed: readonly IncomeMonth[]) => {
    const text = sumText(summed);
    const isPartial = text.endsWith(' *');
    return text === 'no price' ? NOT_KNOWN : soFar({ figure: usd(text.replace(' *', '')), isPartial });
  };
  const lines: [string, { readonly where: string; readonly link: string }][] = [
    ...(other.length > 0 ? ([[`Income: ${dollars(other)}`, income]] as const) : []),
    ...(business.length > 0 ? ([[`Commission: ${dollars(business)}`, business_income]] as const) : []),
    ...(total.disposed.sales > 0
      ? ([
          [`Short-term: ${soFar(termGain(total, 'short'))}`, short_term],
          [`Long-term: ${soFar(termGain(total, 'long'))}`, long_term],
        ] as const)
      : []),
  ].map(([name, place]) => [name, place]);
  if (lines.length > 0) lines.push(['Digital assets', digital_assets_question]);
  if (lines.length === 0) {
    paper.write('No income and no sales.', MARGIN);
    paper.down(LINE);
  }
  for (const [name, { where, link }] of lines) {
    paper.write(name, MARGIN, { size: paper.fitted(name, 125, 8, false) });
    paper.write(where, MARGIN + 130);
    paper.write(link.replace('https://', ''), paper.rightEdge, { size: 7, soft: true, right: true, link });
    paper.down(LINE);
  }
  paper.down(SPACE);
}

function addBasis(paper: Paper, content: SummaryContent): void {
  const { methodologyVersion, recognitionPolicy, terms } = content;
  const { lots, days, whatIf } = sentences(terms);
  paper.heading('How it is computed');
  const [, unpriced] = countsOf(content.total.income);
  const text = [
    `Rewards are income when they are claimed (policy ${recognitionPolicy}), at the published price of that UTC day ` +
      `(methodology ${methodologyVersion}).`,
    lots,
    ...(days === '' ? [] : [days]),
    ...(whatIf === '' ? [] : [whatIf]),
    ...(unpriced > 0 ? [`* Without ${unpriced} receipts that have no price: they are part of no total.`] : []),
    'What has no price or no known cost never counts as zero. These are records for tax preparation, not tax advice.',
  ].join(' ');
  paper.paragraph(text, MARGIN, paper.rightEdge - MARGIN, { size: 7.5, soft: true });
}
