/**
 * Tables of bookkeeping programs: the journal's entries of an amount, two lines or one each. An entry of 0.00 moves coins and no money;
 * such programs refuse it.
 */
import { formatCents } from '../../../../pipeline/ledger/amount.js';
import { type Field, fieldsOf } from '../../../../pipeline/reports/field.js';
import type { LedgerEntry } from '../../../../schemas/types.generated.js';
import { codeOf } from './codes.js';

/** One side of an entry. */
export interface Side {
  readonly entry: LedgerEntry;
  /** The account of the journal. */
  readonly account: string;
  readonly isDebit: boolean;
  /** The caller's accounts by those of the journal. */
  readonly mapped: ReadonlyMap<string, string>;
}

export interface Table {
  readonly description: string;
  readonly columns: readonly Field<Side>[];
}

export const sidesOf = (entry: LedgerEntry, mapped: Side['mapped']): Side[] =>
  entry.amount_usd === 0n
    ? []
    : [
        { entry, mapped, account: entry.debit_account, isDebit: true },
        { entry, mapped, account: entry.credit_account, isDebit: false },
      ];

export const { text, decimal } = fieldsOf<Side>();

export const amountOf = ({ entry }: Side): string => formatCents(entry.amount_usd);

/** The caller's account for one of the journal, or its code. */
export function codedAccount(account: string, mapped: Side['mapped']): string {
  const code = mapped.get(account) ?? codeOf(account);
  if (code === undefined) throw new Error(`no code for the account ${account}`);
  return code;
}

/** Subject of the entry, in words. */
export const describe = ({ asset, category, memo, tx_hash }: LedgerEntry): string =>
  [category.replaceAll('_', ' '), asset, memo, tx_hash].filter((part) => part !== '').join('; ');
