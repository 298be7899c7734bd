/** Rows of Form 8949 for a request: sales and payments in the range, except payments that were refunded. */
import { type FormRow, formRows } from '../../../../../pipeline/reports/form8949/form-rows.js';
import type { LedgerEntry } from '../../../../../schemas/types.generated.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { walletReplay } from '../../../dataset/wallet-ledger.js';
import { isInRange } from '../../../parameters/time-range.js';
import type { Stated } from '../../entries-of-range.js';

export function* rowsOfRange(stated: Stated, dataset: Dataset): Generator<FormRow, void, undefined> {
  for (const address of stated.addresses) {
    const refunds = new Refunds();
    for (const entry of walletReplay(dataset, address, stated)) {
      if (isInRange(entry.time, stated.range)) refunds.foresee(entry);
    }
    for (const entry of walletReplay(dataset, address, stated)) {
      yield* refunds.rowsOf(entry, isInRange(entry.time, stated.range), dataset);
    }
  }
}

/**
 * A refund in the range removes the payment that it reverses. If the payment was before the range, a negative row
 * corrects it.
 */
class Refunds {
  private readonly reversed = new Set<string>();
  private readonly earlier = new Map<string, LedgerEntry>();

  foresee({ reverses }: LedgerEntry): void {
    if (reverses !== null) this.reversed.add(reverses);
  }

  rowsOf(entry: LedgerEntry, isShown: boolean, { reference: { rules } }: Dataset): FormRow[] {
    const { act, event_id, denom, reverses, time } = entry;
    if (act === 'dispose') {
      const isUndone = this.reversed.has(event_id);
      if (isUndone && !isShown) this.earlier.set(`${event_id} ${denom}`, entry);
      return isUndone || !isShown ? [] : formRows(entry, rules);
    }
    if (act !== 'restore' || !isShown) return [];
    const earlier = this.earlier.get(`${reverses} ${denom}`);
    return earlier ? formRows(earlier, rules, true).map((row) => ({ ...row, sold: time.slice(0, 10) })) : [];
  }
}
