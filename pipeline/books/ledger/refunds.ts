/**
 * Pairs IBC payments with their refunds in the same way as the replay. Payment and refund may be in different years.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { appliedTreatment, type Decisions, decisionOf } from './decisions.js';
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

  constructor(
    private readonly rules: Rules,
    private readonly decisions: Decisions,
  ) {}

  /** Must be called for all rows of a wallet, in chain order. */
  note(row: PricedEvent): void {
    const { id, link, sent_amount: sent, received_amount: received } = row;
    if (link === null) return;
    if (received !== null && this.isRestored(row)) {
      const key = linkKey(link, row.received_denom!);
      const packet = this.packets.get(key);
      if (packet?.amount === received) {
        this.packets.delete(key);
        this.paid.add(packet.id);
        this.returned.add(id);
      }
    }
    if (sent !== null && this.isRelieved(row)) this.packets.set(linkKey(link, row.sent_denom!), { id, amount: sent });
  }

  /** Returns true if a later row refunds this payment. */
  isRefunded(id: string): boolean {
    return this.paid.has(id);
  }

  isRefund(id: string): boolean {
    return this.returned.has(id);
  }

  private isRestored(row: PricedEvent): boolean {
    const decision = decisionOf(this.decisions.assets, row);
    if (decision && !(decision.mode === 'override' && decision.keepsTreatment)) return false;
    return appliedTreatment(row, 'in', this.decisions.tags, this.rules)?.treatment.act === 'restore';
  }

  private isRelieved(row: PricedEvent): boolean {
    const act = appliedTreatment(row, 'out', this.decisions.tags, this.rules)?.treatment.act;
    return act === 'dispose' || act === 'relieve' || act === 'relieve-linked';
  }
}

export function refundsOf(rows: Iterable<PricedEvent>, decisions: Decisions, rules: Rules): Refunds {
  const refunds = new Refunds(rules, decisions);
  for (const row of rows) refunds.note(row);
  return refunds;
}
