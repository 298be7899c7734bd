/**
 * Rows of Form 8949 (2025, digital assets), one for each slice of a lot. They belong in box I (short-term) or L
 * (long-term), because a self-custody wallet gets no Form 1099-DA. There are no rows for gifts, donations, own
 * transfers, losses, and payments that were refunded in any year.
 */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents, formatDecimal } from '../../base/values/amount.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { readSlices, termOf, VARIOUS } from '../../ledger/slices.js';
import { fieldsOf } from '../field.js';

/** I and L are boxes of the form. For rows with the other two values, the tax preparer must add basis or proceeds. */
export type Box = 'I' | 'L' | 'unknown basis' | 'price missing';

export interface FormRow {
  readonly entry: LedgerEntry;
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
  /** For a row that sums fees: the number of slices of these fees. */
  readonly fees?: number;
}

/** Returns one row for each slice of a disposal, and no rows for other entries. */
export function formRows(entry: LedgerEntry, refunds: Refunds, rules: Rules): FormRow[] {
  if (entry.act !== 'dispose' || refunds.isRefunded(entry.event_id)) return [];
  const { decimals } = rules.denomination(entry.denom);
  const sold = entry.time.slice(0, 10);
  return readSlices(entry.slices).map(({ acquired: lotDay, quantity, basis, proceeds }) => {
    const acquired = basis === null ? '' : lotDay!;
    const box = boxOf(acquired, sold, proceeds);
    return { entry, quantity, decimals, acquired, lotDay, sold, proceeds, basis, box };
  });
}

function boxOf(acquired: string, sold: string, proceeds: bigint | null): Box {
  if (proceeds === null) return 'price missing';
  if (acquired === '') return 'unknown basis';
  return termOf(acquired, sold) === 'SHORT' ? 'I' : 'L';
}

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

const commonOf = (a: string, b: string) => (a === b ? a : VARIOUS);

/** Sums the network fees of a day or month into one row for each wallet, coin and box. Other rows stay unchanged. */
export function* groupFees(rows: Iterable<FormRow>, by: 'daily' | 'monthly'): Generator<FormRow, void, undefined> {
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
    if (!FEES.has(entry.category)) {
      yield row;
      continue;
    }
    const key = [entry.denom, box, basis === null].join(' ');
    groups.set(key, merged(groups.get(key), row, spanOf(row)));
  }
  yield* groups.values();
}

function merged(group: FormRow | undefined, row: FormRow, span: string): FormRow {
  const { entry } = row;
  if (!group) {
    const id = ['fees', span, entry.denom, row.box.replace(' ', '-'), ...(row.basis === null ? ['no-basis'] : [])];
    return { ...row, entry: { ...entry, tx_hash: '', entry_id: id.join('-') }, lotDay: null, fees: 1 };
  }
  const sum = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a + b);
  return {
    ...group,
    quantity: group.quantity + row.quantity,
    acquired: commonOf(group.acquired, row.acquired),
    sold: commonOf(group.sold, row.sold),
    proceeds: sum(group.proceeds, row.proceeds),
    basis: sum(group.basis, row.basis),
    fees: group.fees! + 1,
  };
}

const gainOf = ({ proceeds, basis }: FormRow): bigint | null =>
  proceeds === null || basis === null ? null : proceeds - basis;

const money = (cents: bigint | null) => (cents === null ? '' : formatCents(cents));
const american = (day: string) => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1');
const TERMS: Readonly<Record<Box, string>> = { I: 'SHORT', L: 'LONG', 'unknown basis': '', 'price missing': '' };

const noteOf = ({ box, basis, lotDay, fees }: FormRow) => {
  const lot = basis === null && lotDay ? `lot of ${lotDay}` : '';
  const summed = fees === undefined ? '' : `sum of ${fees} slices of network fees`;
  return [box.length > 1 ? box : '', lot, summed].filter(Boolean).join('; ');
};

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
  readonly proceeds_usd: string;
  readonly cost_basis_usd: string;
  readonly gain_usd: string;
}

export class FormTotals {
  private readonly sums = new Map<Box, { rows: number; proceeds: bigint; basis: bigint | null; gain: bigint }>();

  get rows(): number {
    return [...this.sums.values()].reduce((sum, { rows }) => sum + rows, 0);
  }

  add(row: FormRow): void {
    const sum = this.sums.get(row.box) ?? { rows: 0, proceeds: 0n, basis: 0n, gain: 0n };
    this.sums.set(row.box, {
      rows: sum.rows + 1,
      proceeds: sum.proceeds + (row.proceeds ?? 0n),
      basis: sum.basis === null || row.basis === null ? null : sum.basis + row.basis,
      gain: sum.gain + (gainOf(row) ?? 0n),
    });
  }

  lines(): BoxTotal[] {
    return (['I', 'L', 'unknown basis', 'price missing'] as const).map((box) => {
      const { rows, proceeds, basis, gain } = this.sums.get(box) ?? { rows: 0, proceeds: 0n, basis: 0n, gain: 0n };
      return {
        ...{ box, rows },
        proceeds_usd: box === 'price missing' ? '' : formatCents(proceeds),
        cost_basis_usd: box === 'unknown basis' ? '' : money(basis),
        gain_usd: box.length > 1 ? '' : formatCents(gain),
      };
    });
  }
}
