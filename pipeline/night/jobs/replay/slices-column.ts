/**
 * The column `slices` of ledger_entries: the lots of an entry. A row states them as JSON:
 * `[["2026-01-01","5","150","-3"],[null,"1",null,null]]`.
 */
import { columnKind, structLists } from '../../../base/duckdb/columns.js';

/**
 * `acquired` is a day, '' for opening coins, or null if there was no lot. Quantities are base units, USD amounts cents.
 */
type Slice = readonly [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const heldAs = ([acquired]: Slice) => (acquired === null ? 'none' : acquired === '' ? 'opening' : 'lot');
const amount = (text: string | null) => (text === null ? null : BigInt(text));

const QUANTITY = columnKind('DECIMAL(38,0)');
const CENTS = columnKind('DECIMAL(38,2)');

export const SLICES_COLUMN = structLists<Slice>(
  {
    held: { kind: columnKind('VARCHAR'), of: heldAs },
    acquired: { kind: columnKind('DATE'), of: ([acquired]) => acquired || null },
    quantity: { kind: QUANTITY, of: ([, quantity]) => BigInt(quantity) },
    basis_usd: { kind: CENTS, of: ([, , basis]) => amount(basis) },
    proceeds_usd: { kind: CENTS, of: ([, , , proceeds]) => amount(proceeds) },
  },
  JSON.parse,
);
