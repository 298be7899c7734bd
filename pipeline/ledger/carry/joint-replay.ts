import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import type { OwnTransfers } from './own-transfers.js';

const ENTRIES_AT_ONCE = 100;

/**
 * Replays a request's wallets together, so that lots follow transfers between them. A receiving wallet first advances
 * the sender's replay. A transfer is sent before it is received, so no cycle occurs. Yields between batches.
 * @param replays entries by wallet address
 * @param own complete at the end
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
