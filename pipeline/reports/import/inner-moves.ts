/**
 * Inner moves: coins that rows move between a wallet and what it has deposited, and packets that came back. Nothing is acquired or
 * disposed of by them, so that a program that counts holdings from rows is not told of them; what exceeds them it is.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Decisions } from '../../ledger/decisions/decisions.js';
import type { Rules } from '../../ledger/rules.js';
import { appliedTreatment, decisionOf } from '../../ledger/treatment.js';
import { linkKey } from '../../ledger/wallet.js';

/** Base units of a row that leave or reach what the wallet holds, deposits among it. */
export interface Crossing {
  readonly sent: bigint;
  readonly received: bigint;
}

export class InnerMoves {
  /** Base units in the hands of a counterparty, by counterparty and denom, as the replay's escrows have them. */
  private readonly deposits = new Map<string, bigint>();
  /** Base units that a packet brought back, by link and denom. */
  private readonly refunds = new Map<string, bigint>();
  /** Packets that were left out and whose refund is to be left out, too. */
  private readonly returned = new Set<string>();

  constructor(
    private readonly rules: Rules,
    private readonly decisions: Decisions,
  ) {}

  /** Takes every row of the wallet once before any is asked about: a packet that comes back was never spent. */
  foresee(event: PricedEvent): void {
    if (event.link !== null && this.actIn(event) === 'restore')
      this.refunds.set(linkKey(event.link, event.received_denom!), event.received_amount!);
  }

  /** Tells how much of a row crosses; every row is asked about once, in order. */
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

  /** The act on the received side, where no asset decision stands over it. */
  private actIn(event: PricedEvent): string | undefined {
    const decision = decisionOf(this.decisions.assets, event);
    if (decision && !(decision.mode === 'override' && decision.keepsTreatment)) return undefined;
    return appliedTreatment(event, 'in', this.decisions.tags, this.rules)?.treatment.act;
  }

  /** Takes out of a deposit as much as there is. @returns base units taken */
  private release(key: string, amount: bigint): bigint {
    const held = this.deposits.get(key) ?? 0n;
    const taken = held < amount ? held : amount;
    this.deposits.set(key, held - taken);
    return taken;
  }
}
