/** The summary as one table with the columns of all its lists. */
import type { Field, FieldKind } from '../field.js';
import type { OwnTransferLine } from './own-transfer-lines.js';
import type { SheetLines } from './sheet.js';

/** Columns that do not apply are blank. */
export type TableLine = Readonly<Record<string, string | number>>;

const COLUMNS: readonly (readonly [FieldKind, readonly string[]])[] = [
  ['text', ['address', 'section', 'kind', 'account', 'category', 'asset', 'denom', 'from', 'to']],
  ['number', ['rows', 'taxable_rows', 'count', 'refunds', 'without_price']],
  ['decimal', ['quantity', 'basis_unknown_quantity', 'income_usd', 'fees_usd', 'proceeds_usd']],
  ['decimal', ['proceeds_basis_unknown_usd', 'refunded_proceeds_usd', 'cost_usd', 'cost_without_price_usd']],
  ['decimal', ['gain_short_usd', 'gain_long_usd', 'gain_usd', 'market_value_usd', 'debit_usd', 'credit_usd']],
  ['decimal', ['opening_quantity', 'opening_basis_unknown_quantity', 'opening_before_index_quantity']],
  ['decimal', ['opening_cost_usd', 'in_quantity', 'in_basis_unknown_quantity', 'in_cost_usd']],
  ['decimal', ['out_quantity', 'out_basis_unknown_quantity', 'out_cost_usd', 'no_lot_quantity']],
  ['decimal', ['closing_quantity', 'closing_basis_unknown_quantity', 'closing_before_index_quantity']],
  ['decimal', ['closing_cost_usd']],
  ['text', ['first', 'last', 'question', 'link', 'methodology_version', 'classification_version', 'generation']],
];

export const TABLE_FIELDS: readonly Field<TableLine>[] = COLUMNS.flatMap(([kind, names]) =>
  names.map((name): Field<TableLine> => ({ name, kind, of: (line) => String(line[name] ?? '') })),
);

const LISTS = ['income', 'disposals', 'reliefs', 'carried', 'assets', 'accounts', 'open'] as const;

export function* sheetTable(address: string, sheet: SheetLines): Generator<TableLine, void, undefined> {
  const { rows, taxable_rows, income_usd, fees_usd, disposed } = sheet;
  yield { address, section: 'totals', rows, taxable_rows, income_usd, fees_usd, ...disposed };
  for (const section of LISTS) for (const line of sheet[section]) yield { address, section, ...line };
}

export const ownTransferTable = (lines: readonly OwnTransferLine[]): TableLine[] =>
  lines.map((line) => ({ address: line.from, section: 'own_transfers', ...line }));
