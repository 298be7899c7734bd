/** Fills the columns of ledger_entries whose names or values differ from the members of a journal entry. */
import { columnKind, structLists } from '../../../base/duckdb/columns.js';
import { type Entry, VARIOUS } from '../../../books/ledger/entry.js';

/**
 * An entry states its slices as JSON: `[["2026-01-01","5","150","-3"],[null,"1",null,null]]`. `acquired` is a day, ''
 * for opening coins, or null if there was no lot. Quantities are base units, USD amounts cents.
 */
type Slice = readonly [acquired: string | null, quantity: string, basis: string | null, proceeds: string | null];

const heldAs = ([acquired]: Slice) => (acquired === null ? 'none' : acquired === '' ? 'opening' : 'lot');
const amount = (text: string | null) => (text === null ? null : BigInt(text));

const DAY = columnKind('DATE');
const QUANTITY = columnKind('DECIMAL(38,0)');
const CENTS = columnKind('DECIMAL(38,2)');
const PRICE = columnKind('DECIMAL(38,6)');

export const ENTRY_COLUMNS = {
  amount_usd: { ...CENTS, of: ({ amount }: Entry) => amount },
  credit_price_usd: { ...PRICE, of: ({ credit_price }: Entry) => credit_price },
  price_usd: { ...PRICE, of: ({ price }: Entry) => price },
  proceeds_usd: { ...CENTS, of: ({ proceeds }: Entry) => proceeds },
  acquired: { ...DAY, of: ({ acquired }: Entry) => (acquired === VARIOUS ? null : acquired) },
  slices: structLists<Slice>(
    {
      held: { kind: columnKind('VARCHAR'), of: heldAs },
      acquired: { kind: DAY, of: ([acquired]) => acquired || null },
      quantity: { kind: QUANTITY, of: ([, quantity]) => BigInt(quantity) },
      basis_usd: { kind: CENTS, of: ([, , basis]) => amount(basis) },
      proceeds_usd: { kind: CENTS, of: ([, , , proceeds]) => amount(proceeds) },
    },
    JSON.parse,
  ),
};
