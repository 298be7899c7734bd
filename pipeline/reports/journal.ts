/** Journal lines as published: each entry is one debit and one credit of the same amount (specification, "Journal line"). */
import type { LedgerEntry } from '../../schemas/types.generated.js';
import { formatCents, formatDecimal, PRICE_DECIMALS } from '../ledger/amount.js';
import type { Rules } from '../ledger/rules.js';
import { creditedUnknown } from '../ledger/slices.js';

/** One line; every member is text, and blank where it does not apply. */
export interface JournalLine {
  /** YYYY-MM-DD HH:MM:SS */
  readonly date_utc: string;
  readonly tx_hash: string;
  readonly entry_id: string;
  readonly account: string;
  readonly debit_usd: string;
  readonly credit_usd: string;
  /** Symbol. */
  readonly asset: string;
  /** Displayed units; blank on gain legs, so that quantities tie out. */
  readonly quantity: string;
  readonly category: string;
  readonly memo: string;
  /** Unit reference price. */
  readonly price_usd: string;
  readonly counterparty: string;
  /** Operator address. */
  readonly validator: string;
  /** ISO code, or undisclosed; blank without a validator. */
  readonly validator_country: string;
  readonly methodology_version: string;
  /** The wallet whose line this is. */
  readonly address: string;
  /** Displayed units of the quantity whose basis is unknown; blank where none was moved. */
  readonly basis_unknown_quantity: string;
  /** Worth of what a disposal gave away; blank elsewhere and without a price. */
  readonly proceeds_usd: string;
  /** YYYY-MM-DD on which the lots were acquired, VARIOUS for several days; blank without a lot. */
  readonly acquired: string;
  /** Holding period of a disposal: SHORT, LONG, or MIXED. */
  readonly term: string;
  /** Memo of the transaction. */
  readonly tx_memo: string;
}

export interface JournalContext {
  readonly rules: Rules;
  readonly methodologyVersion: string;
  /** Operator address → ISO country code, or undisclosed. */
  readonly countryOf: (validator: string) => string;
}

const shownPrice = (price: bigint | null) => (price === null ? '' : formatDecimal(price, PRICE_DECIMALS));

/** The debit line and the credit line of an entry. */
export function journalLines(entry: LedgerEntry, context: JournalContext): [debit: JournalLine, credit: JournalLine] {
  const { rules, methodologyVersion, countryOf } = context;
  const amount = formatCents(entry.amount_usd);
  const shown = (quantity: bigint | null, denom: string) =>
    quantity === null ? '' : formatDecimal(quantity, rules.denomination(denom).decimals);
  const line = {
    date_utc: entry.time,
    tx_hash: entry.tx_hash,
    entry_id: entry.entry_id,
    account: entry.debit_account,
    debit_usd: amount,
    credit_usd: '',
    asset: entry.asset,
    quantity: shown(entry.quantity, entry.denom),
    category: entry.category,
    memo: entry.memo,
    price_usd: shownPrice(entry.price_usd),
    counterparty: entry.counterparty ?? '',
    validator: entry.validator ?? '',
    validator_country: entry.validator === null ? '' : countryOf(entry.validator),
    methodology_version: methodologyVersion,
    address: entry.address,
    basis_unknown_quantity: shown(entry.basis_unknown_quantity, entry.denom),
    proceeds_usd: entry.proceeds_usd === null ? '' : formatCents(entry.proceeds_usd),
    acquired: entry.acquired ?? '',
    term: entry.term ?? '',
    tx_memo: entry.tx_memo,
  };
  const credit = { ...line, account: entry.credit_account, debit_usd: '', credit_usd: amount };
  if (entry.credit_denom !== null) {
    credit.asset = entry.credit_asset!;
    credit.quantity = shown(entry.credit_quantity, entry.credit_denom);
    credit.basis_unknown_quantity = shown(creditedUnknown(entry), entry.credit_denom);
    credit.price_usd = shownPrice(entry.credit_price_usd);
  }
  return [line, credit];
}
