import type { LedgerEntry } from '../../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { type Statements, walletReplay } from '../dataset/wallet-ledger.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { isInRange } from '../parameters/time-range.js';

export type Stated = ValidParameters & Statements;

/** Yields journal entries of the requested range, one wallet after another. */
export function* entriesOfRange(stated: Stated, dataset: Dataset): Generator<LedgerEntry, void, undefined> {
  for (const address of stated.addresses) {
    for (const entry of walletReplay(dataset, address, stated)) if (isInRange(entry.time, stated.range)) yield entry;
  }
}
