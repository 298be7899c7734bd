import type { LedgerEntry } from '../../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { type Statements, walletReplay } from '../dataset/wallet-ledger.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { isInRange } from '../parameters/time-range.js';

export type Stated = ValidParameters & Statements;

/** Yields the range's entries, by wallet. */
export function* entriesOfRange(stated: Stated, dataset: Dataset): Generator<LedgerEntry, void, undefined> {
  for (const address of stated.addresses) {
    for (const entry of walletReplay(dataset, address, stated)) if (isInRange(entry.time, stated.range)) yield entry;
  }
}
