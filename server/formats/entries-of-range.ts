/** Entries of the journal that a request asks for. */
import type { LedgerEntry } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { type Statements, walletEntries } from '../dataset/wallet-ledger.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { isInRange } from '../parameters/time-range.js';

/** The parameters of a request with what its caller states. */
export type Stated = ValidParameters & Statements;

/** Entries of the range in batches, wallet by wallet; some are empty, so that a long replay leaves others their turn. */
export function* entriesOfRange(stated: Stated, dataset: Dataset): Generator<LedgerEntry[], void, undefined> {
  for (const address of stated.addresses) {
    for (const entries of walletEntries(dataset, address, stated)) {
      yield entries.filter(({ time }) => isInRange(time, stated.range));
    }
  }
}
