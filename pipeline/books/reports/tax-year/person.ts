/** The rows of several wallets as those of one person, among whose wallets coins move without any act. */
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import type { OwnTransfers } from '../../ledger/replay.js';

const REDIRECTED: ReadonlySet<string> = new Set(['reward_redirected', 'redirected_reward_in']);

/**
 * Returns the rows in chain order, without payments and redirected rewards between the wallets.
 * @param name takes the place of the address, because a replay is of one wallet
 */
export function rowsOfPerson(
  wallets: ReadonlyMap<string, readonly PricedEvent[]>,
  own: OwnTransfers,
  name: string,
): PricedEvent[] {
  const isInside = (event: PricedEvent) =>
    own.isSent(event) ||
    own.isReceived(event) ||
    (REDIRECTED.has(event.category) && event.counterparty !== null && wallets.has(event.counterparty));
  return [...wallets.values()]
    .flat()
    .filter((event) => !isInside(event))
    .sort((a, b) => a.height - b.height || a.position - b.position)
    .map((event) => ({ ...event, address: name }));
}
