import { formatCents, formatDecimal, PRICE_DECIMALS } from '../../base/values/amount.js';
import type { Entry } from '../ledger/entry.js';
import type { Rules } from '../ledger/rules.js';
import { creditedUnknown } from '../ledger/slices.js';

export interface JournalLine {
  readonly date_utc: string;
  readonly tx_hash: string;
  readonly entry_id: string;
  readonly account: string;
  readonly debit_usd: string;
  readonly credit_usd: string;
  readonly asset: string;
  /** In displayed units. '' on gain lines, because a gain moves no coins. */
  readonly quantity: string;
  readonly category: string;
  readonly memo: string;
  readonly price_usd: string;
  readonly counterparty: string;
  readonly validator: string;
  /** ISO country code or `undisclosed`. */
  readonly validator_country: string;
  readonly methodology_version: string;
  readonly address: string;
  /** Displayed units. */
  readonly basis_unknown_quantity: string;
  /** '' if the line is not a disposal with a price. */
  readonly proceeds_usd: string;
  /** YYYY-MM-DD, or VARIOUS. */
  readonly acquired: string;
  readonly term: string;
  readonly tx_memo: string;
  /** YYYY-MM-DD, in the zone of the books. */
  readonly date: string;
}

export interface JournalContext {
  readonly rules: Rules;
  readonly methodologyVersion: string;
  readonly countryOf: (validator: string) => string;
}

const shownPrice = (price: bigint | null) => (price === null ? '' : formatDecimal(price, PRICE_DECIMALS));

export function journalLines(entry: Entry, context: JournalContext): [debit: JournalLine, credit: JournalLine] {
  const { rules, methodologyVersion, countryOf } = context;
  const amount = formatCents(entry.amount);
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
    price_usd: shownPrice(entry.price),
    counterparty: entry.counterparty ?? '',
    validator: entry.validator ?? '',
    validator_country: entry.validator === null ? '' : countryOf(entry.validator),
    methodology_version: methodologyVersion,
    address: entry.address,
    basis_unknown_quantity: shown(entry.basis_unknown_quantity, entry.denom),
    proceeds_usd: entry.proceeds === null ? '' : formatCents(entry.proceeds),
    acquired: entry.acquired ?? '',
    term: entry.term ?? '',
    tx_memo: entry.tx_memo,
    date: entry.day,
  };
  const credit = { ...line, account: entry.credit_account, debit_usd: '', credit_usd: amount };
  if (entry.credit_denom !== null) {
    credit.asset = entry.credit_asset!;
    credit.quantity = shown(entry.credit_quantity, entry.credit_denom);
    credit.basis_unknown_quantity = shown(creditedUnknown(entry), entry.credit_denom);
    credit.price_usd = shownPrice(entry.credit_price);
  }
  return [line, credit];
}
