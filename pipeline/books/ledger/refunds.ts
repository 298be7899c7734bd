/**
 * Pairs IBC payments with their refunds in the same way as the replay. Payment and refund may be in different years.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { type DecidedRow, decideAll } from './decided-row.js';
import type { Decisions } from './decisions.js';
import type { Rules } from './rules.js';
import { linkKey } from './wallet.js';

/**
 * Finds refunds. A refund returns all coins of one packet to the same wallet. Another amount is not a refund but a
 * receipt.
 */
export class Refunds {
  private readonly packets = new Map<string, { readonly id: string; readonly amount: bigint }>();
  private readonly paid = new Set<string>();
  private readonly returned = new Set<string>();

  /** Must be called for all rows of a wallet, in chain order. */
  note(row: DecidedRow): void {
    const { id, link, sent_amount: sent, received_amount: received, sent_denom, received_denom } = row.event;
    if (link === null) return;
    if (received !== null && row.in?.treatment.act === 'restore') {
      const key = linkKey(link, received_denom!);
      const packet = this.packets.get(key);
      if (packet?.amount === received) {
        this.packets.delete(key);
        this.paid.add(packet.id);
        this.returned.add(id);
      }
    }
    if (sent !== null && isRelieved(row)) this.packets.set(linkKey(link, sent_denom!), { id, amount: sent });
  }

  /** Returns true if a later row refunds this payment. */
  isRefunded(id: string): boolean {
    return this.paid.has(id);
  }

  isRefund(id: string): boolean {
    return this.returned.has(id);
  }
}

function isRelieved({ out }: DecidedRow): boolean {
  const act = out?.treatment.act;
  return act === 'dispose' || act === 'relieve' || act === 'relieve-linked';
}

export function refundsOf(rows: Iterable<PricedEvent>, decisions: Decisions, rules: Rules): Refunds {
  const refunds = new Refunds();
  for (const row of decideAll(rows, decisions, rules)) refunds.note(row);
  return refunds;
}
