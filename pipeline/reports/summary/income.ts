import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents, formatDecimal } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import type { EventRow } from '../event-row.js';
import { Groups } from './groups.js';

const INCOME = 'Income: ';

export interface IncomeLine {
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  /** Rows without a price. */
  readonly without_price: number;
  readonly quantity: string;
  readonly income_usd: string;
}

export class Income {
  private readonly kinds = new Groups<
    { account: string; category: string; asset: string; denom: string },
    { count: number; unpriced: number; quantity: bigint; amount: bigint }
  >(() => ({ count: 0, unpriced: 0, quantity: 0n, amount: 0n }));
  private sum = 0n;

  add(entry: LedgerEntry): void {
    const { credit_account: account, category, asset, denom, quantity, amount_usd } = entry;
    if (!account.startsWith(INCOME)) return;
    const kind = this.kinds.of({ account, category, asset, denom });
    kind.amount += amount_usd;
    this.sum += amount_usd;
    // An entry without a quantity is the difference between a receipt's income and basis.
    if (quantity === null) return;
    kind.count++;
    kind.quantity += quantity;
  }

  /** Counts rows without a price. Entries cannot distinguish an unknown value from a stated zero. */
  note({ incomeAccount: account, priceMissing, category: { category }, event, rules }: EventRow): void {
    if (account === undefined || !priceMissing) return;
    const denom = event.received_denom!;
    this.kinds.of({ account, category, asset: rules.denomination(denom).symbol, denom }).unpriced++;
  }

  /** Cents. */
  get total(): bigint {
    return this.sum;
  }

  lines(rules: Rules): IncomeLine[] {
    return this.kinds.list().map(({ account, category, asset, denom, count, unpriced, quantity, amount }) => ({
      ...{ account, category, asset, denom, count, without_price: unpriced },
      quantity: formatDecimal(quantity, rules.denomination(denom).decimals),
      income_usd: count > 0 && count === unpriced && amount === 0n ? '' : formatCents(amount),
    }));
  }
}
