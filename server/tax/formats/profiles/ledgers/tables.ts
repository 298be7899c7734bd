/**
 * CSV tables for bookkeeping programs. An entry becomes one or two lines. Entries of 0.00 are left out, because the
 * programs reject them.
 */
import { formatCents } from '../../../../../pipeline/base/values/amount.js';
import { type Field, fieldsOf } from '../../../../../pipeline/reports/field.js';
import type { LedgerEntry } from '../../../../../schemas/types.generated.js';
import { codeOf } from './codes.js';

export interface Side {
  readonly entry: LedgerEntry;
  readonly account: string;
  readonly isDebit: boolean;
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

export function codedAccount(account: string, mapped: Side['mapped']): string {
  const code = mapped.get(account) ?? codeOf(account);
  if (code === undefined) throw new Error(`no code for the account ${account}`);
  return code;
}

export const describe = ({ asset, category, memo, tx_hash }: LedgerEntry): string =>
  [category.replaceAll('_', ' '), asset, memo, tx_hash].filter((part) => part !== '').join('; ');
