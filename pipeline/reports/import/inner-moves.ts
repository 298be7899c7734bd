/** Detects moves between a wallet and its deposits, and refunded packets. Exports omit them, except for an excess. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Decisions } from '../../ledger/decisions/decisions.js';
import type { Rules } from '../../ledger/rules.js';
import { appliedTreatment, decisionOf } from '../../ledger/treatment.js';
import { linkKey } from '../../ledger/wallet.js';

/** Base units that leave or enter the wallet's holdings, which include its deposits. */
export interface Crossing {
  readonly sent: bigint;
  readonly received: bigint;
}

export class InnerMoves {
  /** Base units by counterparty and denom, equal to the replay's escrows. */
  private readonly deposits = new Map<string, bigint>();
  /** Refunded base units by link and denom. */
  private readonly refunds = new Map<string, bigint>();
  /** Omitted packets, whose refunds are omitted too. */
  private readonly returned = new Set<string>();

  constructor(
    private readonly rules: Rules,
    private readonly decisions: Decisions,
  ) {}

  /** Registers a row in a first pass, so that refunded packets are known in advance. */
  foresee(event: PricedEvent): void {
    if (event.link !== null && this.actIn(event) === 'restore')
      this.refunds.set(linkKey(event.link, event.received_denom!), event.received_amount!);
  }

  /** Returns how much of a row crosses. Call once per row, in order. */
  crossing(event: PricedEvent): Crossing {
    return { sent: this.crossingOut(event), received: this.crossingIn(event) };
  }

  private crossingOut(event: PricedEvent): bigint {
    const { sent_amount: amount, sent_denom: denom, link } = event;
    if (amount === null) return 0n;
    const act = appliedTreatment(event, 'out', this.decisions.tags, this.rules)?.treatment.act;
    const key = linkKey(event.counterparty ?? '', denom!);
    const held = this.deposits.get(key) ?? 0n;
    if (act === 'deposit') {
      this.deposits.set(key, held + amount);
      return 0n;
    }
    if (act === 'burn-deposit') return this.release(key, amount);
    const packet = link === null ? undefined : linkKey(link, denom!);
    if (packet === undefined || this.refunds.get(packet) !== amount) return amount;
    this.returned.add(packet);
    return 0n;
  }

  private crossingIn(event: PricedEvent): bigint {
    const { received_amount: amount, received_denom: denom, link } = event;
    if (amount === null) return 0n;
    const act = this.actIn(event);
    if (act === 'withdraw') return amount - this.release(linkKey(event.counterparty ?? '', denom!), amount);
    if (act === 'restore' && link !== null && this.returned.delete(linkKey(link, denom!))) return 0n;
    return amount;
  }

  private actIn(event: PricedEvent): string | undefined {
    const decision = decisionOf(this.decisions.assets, event);
    if (decision && !(decision.mode === 'override' && decision.keepsTreatment)) return undefined;
    return appliedTreatment(event, 'in', this.decisions.tags, this.rules)?.treatment.act;
  }

  /**
   * Reduces a deposit by at most `amount`.
   * @returns base units released
   */
  private release(key: string, amount: bigint): bigint {
    const held = this.deposits.get(key) ?? 0n;
    const taken = held < amount ? held : amount;
    this.deposits.set(key, held - taken);
    return taken;
  }
}
