import type { LedgerEntry } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { type Statements, walletEntries } from '../dataset/wallet-ledger.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { isInRange } from '../parameters/time-range.js';

export type Stated = ValidParameters & Statements;

/** Yields the range's entries in batches per wallet. Batches may be empty, so that a long replay can yield to other requests. */
export function* entriesOfRange(stated: Stated, dataset: Dataset): Generator<LedgerEntry[], void, undefined> {
  for (const address of stated.addresses) {
    for (const entries of walletEntries(dataset, address, stated)) {
      yield entries.filter(({ time }) => isInRange(time, stated.range));
    }
  }
}
