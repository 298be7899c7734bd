/**
 * Rows of Form 8949 (2025, digital assets), one for each slice of a lot. They belong in box I (short-term) or L
 * (long-term), because a self-custody wallet gets no Form 1099-DA. There are no rows for gifts, donations, own
 * transfers, losses, and payments that were refunded in any year.
 */

import { formatCents, formatDecimal } from '../../../base/values/amount.js';
import { type Entry, VARIOUS } from '../../ledger/entry.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { readSlices, termOf } from '../../ledger/slices.js';
import { fieldsOf } from '../field.js';

/** I and L are boxes of the form. For rows with the other two values, the tax preparer must add basis or proceeds. */
export type Box = 'I' | 'L' | 'unknown basis' | 'price missing';

export interface FormRow {
  readonly entry: Entry;
  /** Base units. */
  readonly quantity: bigint;
  readonly decimals: number;
  /** YYYY-MM-DD, or VARIOUS; '' if the basis is unknown, because then only the day of receipt is known. */
  readonly acquired: string;
  /** The lot's acquired day: BEFORE_INDEX for opening coins, null if there was no lot. */
  readonly lotDay: string | null;
  /** YYYY-MM-DD, or VARIOUS. */
  readonly sold: string;
  /** Cents; null if no price is known. */
  readonly proceeds: bigint | null;
  /** Cents; null if unknown. */
  readonly basis: bigint | null;
  readonly box: Box;
  /** Number of sales whose first slice is in this row. A sale may have slices in many rows. */
  readonly sales: number;
  /** Number of sales whose first slice of this box is in this row. */
  readonly boxSales: number;
  readonly summed?: Summed;
}

/** What a row sums, with the number of slices. */
interface Summed {
  readonly kind: keyof typeof SUMMED;
  readonly slices: number;
}

const SUMMED = { fees: 'of network fees', cents: 'with proceeds below one cent' } as const;

/** Returns one row for each slice of a disposal, and no rows for other entries. */
export function formRows(entry: Entry, refunds: Refunds, rules: Rules): FormRow[] {
  if (entry.act !== 'dispose' || refunds.isRefunded(entry.event_id)) return [];
  const { decimals } = rules.denomination(entry.denom);
  const sold = entry.day;
  const boxes = new Set<Box>();
  return readSlices(entry.slices).map(({ acquired: lotDay, quantity, basis, proceeds }) => {
    const acquired = basis === null ? '' : lotDay!;
    const box = boxOf(acquired, sold, proceeds);
    const counts = { sales: boxes.size === 0 ? 1 : 0, boxSales: boxes.has(box) ? 0 : 1 };
    boxes.add(box);
    return { entry, quantity, decimals, acquired, lotDay, sold, proceeds, basis, box, ...counts };
  });
}

function boxOf(acquired: string, sold: string, proceeds: bigint | null): Box {
  if (proceeds === null) return 'price missing';
  if (acquired === '') return 'unknown basis';
  return termOf(acquired, sold) === 'SHORT' ? 'I' : 'L';
}

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

/** Returns what a row is summed with: network fees, or slices below one cent. Other rows are not summed. */
function kindOf(row: FormRow): Summed['kind'] | undefined {
  if (FEES.has(row.entry.category)) return 'fees';
  return isBelowCent(row) ? 'cents' : undefined;
}

/**
 * Compares the unrounded proceeds of a slice, because cumulative rounding gives a cent to some of the smaller slices. A
 * slice with a higher cost is not small: its loss keeps a row of its own.
 */
const isBelowCent = ({ entry, quantity, proceeds, basis }: FormRow): boolean =>
  proceeds !== null && entry.proceeds! * quantity < entry.quantity! && (basis ?? 0n) <= 1n;

const commonOf = (a: string, b: string) => (a === b ? a : VARIOUS);

/**
 * Sums small rows of a day or month into one row for each wallet, coin and box: network fees, and slices below one cent.
 * Other rows stay unchanged.
 */
export function* sumSmallRows(rows: Iterable<FormRow>, by: 'daily' | 'monthly'): Generator<FormRow, void, undefined> {
  const spanOf = ({ sold }: FormRow) => (by === 'daily' ? sold : sold.slice(0, 'YYYY-MM'.length));
  let groups = new Map<string, FormRow>();
  let current = '';
  for (const row of rows) {
    const { entry, box, basis } = row;
    const span = `${entry.address} ${spanOf(row)}`;
    if (span !== current) {
      yield* groups.values();
      groups = new Map();
      current = span;
    }
    const kind = kindOf(row);
    if (kind === undefined) {
      yield row;
      continue;
    }
    const key = [kind, entry.denom, box, basis === null].join(' ');
    const group = groups.get(key);
    groups.set(key, group ? joined(group, row) : firstOf(row, kind, spanOf(row)));
  }
  yield* groups.values();
}

function firstOf(row: FormRow, kind: Summed['kind'], span: string): FormRow {
  const { entry, box, basis } = row;
  const id = [kind, span, entry.denom, box.replace(' ', '-'), ...(basis === null ? ['no-basis'] : [])];
  return {
    ...row,
    entry: { ...entry, tx_hash: '', entry_id: id.join('-') },
    lotDay: null,
    summed: { kind, slices: 1 },
  };
}

function joined(group: FormRow, row: FormRow): FormRow {
  const sum = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a + b);
  const { kind, slices } = group.summed!;
  return {
    ...group,
    quantity: group.quantity + row.quantity,
    acquired: commonOf(group.acquired, row.acquired),
    sold: commonOf(group.sold, row.sold),
    proceeds: sum(group.proceeds, row.proceeds),
    basis: sum(group.basis, row.basis),
    sales: group.sales + row.sales,
    boxSales: group.boxSales + row.boxSales,
    summed: { kind, slices: slices + 1 },
  };
}

const gainOf = ({ proceeds, basis }: FormRow): bigint | null =>
  proceeds === null || basis === null ? null : proceeds - basis;

const money = (cents: bigint | null) => (cents === null ? '' : formatCents(cents));
const american = (day: string) => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1');
const TERMS: Readonly<Record<Box, string>> = { I: 'SHORT', L: 'LONG', 'unknown basis': '', 'price missing': '' };

const noteOf = ({ box, basis, lotDay, summed }: FormRow) => {
  const lot = basis === null && lotDay ? `lot of ${lotDay}` : '';
  return [box.length > 1 ? box : '', lot, summed ? sumNote(summed) : ''].filter(Boolean).join('; ');
};

const sumNote = ({ kind, slices }: Summed) => `sum of ${slices} ${slices === 1 ? 'slice' : 'slices'} ${SUMMED[kind]}`;

const { text, decimal } = fieldsOf<FormRow>();

const describeRow = ({ quantity, decimals, entry }: FormRow): string =>
  `${formatDecimal(quantity, decimals)} ${entry.asset}`;

/** Columns (a) to (h) of the form. */
export const FORM_COLUMNS = [
  text('Description of property', describeRow),
  text('Date acquired', ({ acquired }) => american(acquired)),
  text('Date sold or disposed of', ({ sold }) => american(sold)),
  decimal('Proceeds', ({ proceeds }) => money(proceeds)),
  decimal('Cost or other basis', ({ basis }) => money(basis)),
  text('Code', () => ''),
  decimal('Amount of adjustment', () => ''),
  decimal('Gain or loss', (row) => money(gainOf(row))),
];

export const CSV_COLUMNS = [
  ...FORM_COLUMNS,
  text('Term', ({ box }) => TERMS[box]),
  text('Box', ({ box }) => (box.length === 1 ? box : '')),
  text('Note', noteOf),
  text('Transaction', ({ entry }) => entry.tx_hash),
  text('Entry', ({ entry }) => entry.entry_id),
  text('Wallet', ({ entry }) => entry.address),
];

export const FORM_FIELDS = [
  text('description', describeRow),
  text('date_acquired', ({ acquired }) => acquired),
  text('date_sold', ({ sold }) => sold),
  decimal('proceeds_usd', ({ proceeds }) => money(proceeds)),
  decimal('cost_basis_usd', ({ basis }) => money(basis)),
  text('adjustment_code', () => ''),
  decimal('adjustment_usd', () => ''),
  decimal('gain_usd', (row) => money(gainOf(row))),
  text('term', ({ box }) => TERMS[box]),
  text('box', ({ box }) => (box.length === 1 ? box : '')),
  text('note', noteOf),
  text('asset', ({ entry }) => entry.asset),
  text('denom', ({ entry }) => entry.denom),
  decimal('quantity', ({ quantity, decimals }) => formatDecimal(quantity, decimals)),
  text('address', ({ entry }) => entry.address),
  text('tx_hash', ({ entry }) => entry.tx_hash),
  text('entry_id', ({ entry }) => entry.entry_id),
];

export interface BoxTotal {
  readonly box: Box;
  readonly rows: number;
  /** Sales with a slice in this box. */
  readonly sales: number;
  readonly proceeds_usd: string;
  readonly cost_basis_usd: string;
  readonly gain_usd: string;
}

interface BoxSum {
  readonly rows: number;
  readonly sales: number;
  readonly proceeds: bigint;
  readonly basis: bigint | null;
  readonly gain: bigint;
}

const NO_ROWS: BoxSum = { rows: 0, sales: 0, proceeds: 0n, basis: 0n, gain: 0n };

export class FormTotals {
  private readonly sums = new Map<Box, BoxSum>();
  rows = 0;
  /** Number of sales. A sale of several lots has several rows, also in different boxes. */
  sales = 0;
  /** Number of sales that are network fees. */
  fees = 0;

  add(row: FormRow): void {
    const sum = this.sums.get(row.box) ?? NO_ROWS;
    this.rows++;
    this.sales += row.sales;
    if (FEES.has(row.entry.category)) this.fees += row.sales;
    this.sums.set(row.box, {
      rows: sum.rows + 1,
      sales: sum.sales + row.boxSales,
      proceeds: sum.proceeds + (row.proceeds ?? 0n),
      basis: sum.basis === null || row.basis === null ? null : sum.basis + row.basis,
      gain: sum.gain + (gainOf(row) ?? 0n),
    });
  }

  /** A box without rows has no totals if the gain of any sale is unknown, because that sale may belong to it. */
  lines(): BoxTotal[] {
    const isOpen = this.sums.has('unknown basis') || this.sums.has('price missing');
    return (['I', 'L', 'unknown basis', 'price missing'] as const).map((box) => {
      const { rows, sales, proceeds, basis, gain } = this.sums.get(box) ?? NO_ROWS;
      const isOfForm = box.length === 1;
      if (isOfForm && isOpen && rows === 0) return { box, rows, sales, ...NOT_KNOWN };
      return {
        ...{ box, rows, sales },
        proceeds_usd: box === 'price missing' ? '' : formatCents(proceeds),
        cost_basis_usd: box === 'unknown basis' ? '' : money(basis),
        gain_usd: isOfForm ? formatCents(gain) : '',
      };
    });
  }
}

const NOT_KNOWN = { proceeds_usd: '', cost_basis_usd: '', gain_usd: '' };
