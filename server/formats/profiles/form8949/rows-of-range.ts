/** Form rows of a request: the disposals of its range but for payments that came back. */
import { type FormRow, formRows } from '../../../../pipeline/reports/form8949/form-rows.js';
import type { LedgerEntry } from '../../../../schemas/types.generated.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { walletEntries } from '../../../dataset/wallet-ledger.js';
import { isInRange } from '../../../parameters/time-range.js';
import type { Stated } from '../../entries-of-range.js';

/** Rows in batches, wallet by wallet in the order of time; some are empty, so that a long replay leaves others their turn. */
export function* rowsOfRange(stated: Stated, dataset: Dataset): Generator<FormRow[], void, undefined> {
  for (const address of stated.addresses) {
    const refunds = new Refunds();
    for (const entries of walletEntries(dataset, address, stated)) {
      for (const entry of entries) if (isInRange(entry.time, stated.range)) refunds.foresee(entry);
      yield [];
    }
    for (const entries of walletEntries(dataset, address, stated)) {
      yield entries.flatMap((entry) => refunds.rowsOf(entry, isInRange(entry.time, stated.range), dataset));
    }
  }
}

/** Refunds of the range, and the disposals that they undo. */
class Refunds {
  /** Ids of rows whose disposal a refund of the range undoes. */
  private readonly reversed = new Set<string>();
  /** Such disposals before the range, by row and denom. */
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
