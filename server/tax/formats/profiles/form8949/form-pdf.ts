/** Prints Form 8949: a cover with totals, part I, part II, and finally rows without basis or price, summed by month. */
import { formatCents, formatDecimal } from '../../../../../pipeline/base/values/amount.js';
import {
  type Box,
  type BoxTotal,
  FORM_COLUMNS,
  type FormRow,
  type FormTotals,
} from '../../../../../pipeline/books/reports/form8949/form-rows.js';
import { sentences, type Terms } from '../../../../../pipeline/books/terms.js';
import type { Coverage, UsReturn } from '../../../../../schemas/types.generated.js';
import { grouped, LANDSCAPE, MARGIN, Paper, printedDay, printedGaps, printedName } from '../../paper.js';

/** Maximum number of rows, which fill about two hundred pages. */
export const PDF_ROWS_MAX = 8_000;

const LINE = 12;
/** Horizontal positions of the columns (a) to (h): the left edge of a text, or the right edge of an amount. */
const EDGES = [36, 250, 320, 450, 545, 565, 660, 756];
const IS_AMOUNT = [false, false, false, true, true, false, true, true];
const HEADINGS = [
  '(a) Description of property',
  '(b) Acquired',
  '(c) Sold',
  '(d) Proceeds',
  '(e) Cost or other basis',
  '(f) Code',
  '(g) Adjustment',
  '(h) Gain or loss',
];
/** Minimum space after a description, in points. */
const GAP = 6;
/** With more wallets, the cover contains only their number. */
const COVER_WALLETS = 2;
/** A part begins on a new page if fewer than this many of its lines fit on the current page. */
const PART_LINES_MIN = 7;

interface Part {
  readonly name: string;
  readonly title: string;
  readonly note: string;
  readonly headings: readonly string[];
}

const PARTS: Readonly<Record<Box, Part>> = {
  I: {
    name: 'Box I, short-term',
    title: 'Part I. Short-term: coins held for one year or less',
    note: '[X] Box I: digital assets that were not reported to you on Form 1099-DA',
    headings: HEADINGS,
  },
  L: {
    name: 'Box L, long-term',
    title: 'Part II. Long-term: coins held for more than one year',
    note: '[X] Box L: digital assets that were not reported to you on Form 1099-DA',
    headings: HEADINGS,
  },
  'unknown basis': {
    name: 'Apart, cost not known',
    title: 'Apart from the form: sales of coins whose cost is not known',
    note: 'Find the cost before you file. By coin and month; every single sale is in the CSV file.',
    headings: ['Coins', 'Sales', 'Month', 'Proceeds'],
  },
  'price missing': {
    name: 'Apart, no price',
    title: 'Apart from the form: sales on days without a published price',
    note: 'Find the proceeds before you file. By coin and month; every single sale is in the CSV file.',
    headings: ['Coins', 'Sales', 'Month', '', 'Cost, if known'],
  },
};

export interface FormHeading {
  readonly addresses: readonly string[];
  readonly days: readonly [string, string];
  readonly coverage: Coverage;
  /** Wallets whose rows are not proved to be complete. */
  readonly incomplete: readonly string[];
  readonly methodologyVersion: string;
  readonly terms: Terms;
  readonly usReturn: UsReturn;
  /** Whether small rows are summed, as in the request. */
  readonly fees: 'each' | 'daily' | 'monthly';
}

export interface PrintedRow {
  readonly box: Box;
  /** Texts in the columns (a) to (h). */
  readonly cells: readonly string[];
}

/**
 * Adds all rows to `totals` and returns the rows to print. Combines rows without basis or price into one row per coin
 * and month, because the user cannot file them yet. Returns at most PDF_ROWS_MAX + 1 rows.
 */
export function printedRows(formRows: Iterable<FormRow>, totals: FormTotals): PrintedRow[] {
  const rows: PrintedRow[] = [];
  const folded = new Map<string, Fold>();
  for (const row of formRows) {
    totals.add(row);
    const name = printedName(row.entry.asset);
    if (row.box.length > 1) {
      const key = `${row.box} ${row.entry.denom} ${monthOf(row)}`;
      const fold = folded.get(key) ?? { first: row, count: 0, quantity: 0n, proceeds: 0n, basis: 0n };
      folded.set(key, {
        first: row,
        count: fold.count + row.boxSales,
        quantity: fold.quantity + row.quantity,
        proceeds: plus(fold.proceeds, row.proceeds),
        basis: plus(fold.basis, row.basis),
      });
    } else if (rows.length <= PDF_ROWS_MAX) {
      const [, ...others] = FORM_COLUMNS.map(({ of, kind }) => (kind === 'decimal' ? grouped(of(row)) : of(row)));
      const what = `${formatDecimal(row.quantity, row.decimals)} ${name}${summedWords(row)}`;
      rows.push({ box: row.box, cells: [what, ...others] });
    }
  }
  return [...rows, ...[...folded.values()].map(foldedRow)];
}

/** Names what a row sums, and its month, because its dates may be VARIOUS. */
function summedWords(row: FormRow): string {
  if (!row.summed) return '';
  const [year, month] = monthOf(row).split('-');
  return ` (${row.summed.kind === 'fees' ? 'network fees' : 'slices below one cent'}, ${month}/${year})`;
}

/** Returns YYYY-MM of the row. Summed rows may have no single day of sale (VARIOUS), so the entry's time is used. */
const monthOf = ({ entry }: FormRow) => entry.day.slice(0, 7);

/** Sums of rows without basis or price. A sum is null if the amount is unknown in any row. */
interface Fold {
  readonly first: FormRow;
  readonly count: number;
  readonly quantity: bigint;
  readonly proceeds: bigint | null;
  readonly basis: bigint | null;
}

const plus = (sum: bigint | null, part: bigint | null) => (sum === null || part === null ? null : sum + part);

function foldedRow({ first, count, quantity, proceeds, basis }: Fold): PrintedRow {
  const { box, decimals, entry } = first;
  const [year, month] = monthOf(first).split('-');
  const usd = (cents: bigint | null) => (cents === null ? '' : grouped(formatCents(cents)));
  const what = `${formatDecimal(quantity, decimals)} ${printedName(entry.asset)}`;
  return {
    box,
    cells: [what, String(count), `${month}/${year}`, usd(proceeds), usd(basis), '', '', ''],
  };
}

export interface FormContent {
  readonly heading: FormHeading;
  readonly rows: readonly PrintedRow[];
  readonly totals: FormTotals;
  readonly made: Date;
}

export async function formPdf({ heading, rows, totals, made }: FormContent): Promise<Uint8Array> {
  const { addresses, days, coverage } = heading;
  const title = `Form 8949 of ${walletsOf(addresses)}, ${days.join(' to ')}`;
  const paper = await Paper.create({ title, made, size: LANDSCAPE });
  const parts = totals.lines().filter((total) => total.rows > 0);
  addPage(paper, heading);
  addCover(paper, heading, totals, parts);
  for (const total of parts) {
    const rowsOfBox = rows.filter(({ box }) => box === total.box);
    addPart(paper, heading, rowsOfBox, total);
  }
  if (addresses.length > COVER_WALLETS) addWallets(paper, heading);
  return paper.save(`hubledger · dataset ${coverage.generation} · records for tax preparation, not tax advice`);
}

const walletsOf = (addresses: readonly string[]) =>
  addresses.length <= COVER_WALLETS ? addresses.join(', ') : `${addresses.length} wallets`;

const LEADERS = '_'.repeat(60);

/** Begins a page with the heading that every page of the form has. */
function addPage(paper: Paper, { days }: FormHeading): void {
  paper.addPage();
  paper.write('Form 8949', MARGIN, { size: 13, bold: true });
  paper.write('Sales and Other Dispositions of Capital Assets', MARGIN + 76, { size: 10 });
  paper.write(days.map(printedDay).join(' – '), paper.rightEdge, { size: 10, right: true });
  paper.down(22);
  paper.write(`Name(s) shown on return  ${LEADERS}`, MARGIN);
  paper.write(`Social security number or taxpayer identification number  ${LEADERS.slice(30)}`, 416);
  paper.rule();
  paper.down(20);
}

function addCover(paper: Paper, heading: FormHeading, totals: FormTotals, parts: readonly BoxTotal[]): void {
  const { addresses, days, coverage, incomplete, methodologyVersion, usReturn } = heading;
  const terms = sentences(heading.terms);
  const width = paper.rightEdge - MARGIN;
  const many = addresses.length > COVER_WALLETS ? ' They are listed on the last page.' : '';
  paper.paragraph(`${addresses.length > 1 ? 'Wallets' : 'Wallet'}: ${walletsOf(addresses)}.${many}`, MARGIN, width);
  paper.paragraph(
    `${[terms.lots, terms.days].filter(Boolean).join(' ')} Prices are those of ` +
      `methodology ${methodologyVersion}. This statement has the columns of Form 8949, but is not the official form. ` +
      `Boxes and lines are those of the forms for ${usReturn.form_year}.`,
    MARGIN,
    width,
  );
  const gaps = printedGaps(coverage, days, coverageWords(coverage), incomplete);
  if (gaps !== '') paper.paragraph(gaps, MARGIN, width, { bold: true });
  if (parts.length > 0) paper.paragraph(countWords(totals, heading), MARGIN, width);
  paper.down(6);
  if (parts.length === 0) {
    paper.write('There are no sales or payments in this period.', MARGIN, { size: 10, bold: true });
    return;
  }
  row(paper, ['Totals', 'Sales', 'Lines', ...HEADINGS.slice(3, 5), 'Goes to', '', HEADINGS[7]!], true);
  for (const total of parts) {
    const [proceeds, cost, gain] = figuresOf(total);
    const place = placeOf(total.box, usReturn);
    row(paper, [
      PARTS[total.box].name,
      grouped(String(total.sales)),
      grouped(String(total.rows)),
      proceeds,
      cost,
      place,
      '',
      gain,
    ]);
  }
  paper.down(10);
}

/** Counts sales as the summary does, and explains why there are more or fewer lines. */
function countWords({ sales, fees, rows }: FormTotals, { fees: summing }: FormHeading): string {
  const ofFees =
    fees === 0 ? '' : `, of which ${grouped(String(fees))} ${fees === 1 ? 'is a network fee' : 'are network fees'}`;
  const lines = `${counted(sales, 'sale')}${ofFees}, in ${counted(rows, 'line')}.`;
  const slices =
    ' A sale of coins from several lots has a line for each slice of a lot, and counts in every box of its lines.';
  const span = summing === 'daily' ? 'day' : 'month';
  const sums = ` Network fees, and slices below one cent, are summed by coin and ${span}.`;
  return lines + slices + (summing === 'each' ? '' : sums);
}

const counted = (count: number, noun: string) => `${grouped(String(count))} ${noun}${count === 1 ? '' : 's'}`;

const figuresOf = ({ proceeds_usd, cost_basis_usd, gain_usd }: BoxTotal) =>
  [grouped(proceeds_usd), grouped(cost_basis_usd), grouped(gain_usd)] as const;

/** Names the recorded days of the period. */
const coverageWords = ({ covered_from, covered_to }: Coverage): string =>
  covered_from && covered_to
    ? `Not every day of this period is recorded: only ${printedDay(covered_from)} to ${printedDay(covered_to)}. Sales on other days are missing here.`
    : 'These days are not recorded. Sales in this period are missing here.';

const placeOf = (box: Box, { short_term, long_term }: UsReturn): string => {
  if (box === 'I') return scheduleOf(short_term.where);
  return box === 'L' ? scheduleOf(long_term.where) : '';
};

/**
 * Returns the part after the semicolon, for example 'Schedule D, line 3' from 'Form 8949 Part I, box I; Schedule D,
 * line 3'.
 */
const scheduleOf = (where: string) => where.slice(where.indexOf(';') + 1).trim();

function row(paper: Paper, cells: readonly string[], bold = false): void {
  cells.forEach((cell, i) => {
    paper.write(cell, EDGES[i]!, { bold, right: IS_AMOUNT[i]! });
  });
  if (bold) paper.rule();
  paper.down(bold ? LINE + 2 : LINE);
}

function addPart(paper: Paper, heading: FormHeading, rows: readonly PrintedRow[], total: BoxTotal): void {
  const { title, note, headings } = PARTS[total.box];
  const begin = () => {
    paper.write(title, MARGIN, { size: 10, bold: true });
    paper.down(LINE);
    paper.write(note, MARGIN, { soft: true });
    paper.down(LINE + 4);
    row(paper, headings, true);
  };
  if (paper.left < PART_LINES_MIN * LINE) addPage(paper, heading);
  begin();
  for (const { cells } of rows) {
    const [description, ...others] = cells;
    const [first = '', ...rest] = paper.pieces(description!, EDGES[1]! - EDGES[0]! - GAP);
    // The totals also need a line.
    if (paper.left < (rest.length + 2) * LINE) {
      addPage(paper, heading);
      begin();
    }
    row(paper, [first, ...others]);
    for (const piece of rest) row(paper, [piece]);
  }
  const [proceeds, cost, gain] = figuresOf(total);
  const place = placeOf(total.box, heading.usReturn);
  paper.y += LINE - 3;
  paper.rule();
  paper.down(LINE + 2);
  row(
    paper,
    [
      `Totals of ${counted(total.sales, 'sale')} in ${counted(total.rows, 'line')}${place && `: enter on ${place}`}`,
      '',
      '',
      proceeds,
      cost,
      '',
      '',
      gain,
    ],
    true,
  );
  paper.down(LINE);
}

/** Lists all wallets. The limit of wallets per request ensures that they fit on one page. */
function addWallets(paper: Paper, heading: FormHeading): void {
  const { addresses } = heading;
  if (paper.left < (Math.ceil(addresses.length / 2) + 2) * LINE) addPage(paper, heading);
  paper.write('The wallets of these rows', MARGIN, { size: 10, bold: true });
  paper.down(LINE + 4);
  for (let i = 0; i < addresses.length; i += 2) {
    paper.write(addresses.slice(i, i + 2).join('   '), MARGIN);
    paper.down(LINE);
  }
}
