/** The trial balance of a period. */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents } from '../../ledger/amount.js';
import { Groups } from './groups.js';

export interface AccountLine {
  readonly account: string;
  readonly debit_usd: string;
  readonly credit_usd: string;
}

export class Accounts {
  private readonly accounts = new Groups<{ account: string }, { debit: bigint; credit: bigint }>(() => ({
    debit: 0n,
    credit: 0n,
  }));

  add({ debit_account, credit_account, amount_usd }: LedgerEntry): void {
    this.accounts.of({ account: debit_account }).debit += amount_usd;
    this.accounts.of({ account: credit_account }).credit += amount_usd;
  }

  lines(): AccountLine[] {
    return this.accounts.list().map(({ account, debit, credit }) => ({
      account,
      debit_usd: formatCents(debit),
      credit_usd: formatCents(credit),
    }));
  }
}
