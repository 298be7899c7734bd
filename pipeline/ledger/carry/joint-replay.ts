/** The joint replay of a request's wallets, which finds the lots of every transfer between them. */
import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import type { OwnTransfers } from './own-transfers.js';

/** Entries between two pauses. */
const ENTRIES_AT_ONCE = 100;

/**
 * Replays the wallets, each as far as another one waits for it: a transfer was sent before it arrived, so that none waits for itself.
 * @param replays the entries of each wallet, by address, as they come about
 * @returns pauses, so that a long replay leaves others their turn; afterwards `own` knows the lots of all transfers
 */
export function* replayJointly(
  replays: ReadonlyMap<string, Iterator<LedgerEntry>>,
  own: OwnTransfers,
): Generator<undefined, void, undefined> {
  own.fetch = (row: PricedEvent) => {
    const sender = replays.get(row.counterparty!)!;
    while (!own.lotsFor(row) && !sender.next().done);
  };
  for (const replay of replays.values()) {
    for (let entries = 1; !replay.next().done; entries++) if (entries % ENTRIES_AT_ONCE === 0) yield;
  }
  own.fetch = undefined;
}
