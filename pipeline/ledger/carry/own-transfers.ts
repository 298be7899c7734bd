/**
 * Own transfers: coins that one wallet of a request sent to another of them, whose lots travel with basis and date when the caller says
 * that all are his (own_wallets=carry, R11). By default no wallet's figures depend on another's (D3).
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Decisions } from '../decisions/decisions.js';
import { receivedLeg, sentLeg } from '../legs.js';
import type { Taken } from '../lots.js';
import type { Rules } from '../rules.js';
import { appliedTreatment, type Direction, decisionOf } from '../treatment.js';

/** The tag that says the same of one transfer: it goes together with carrying, any other tag stands over it. */
const OWN_TRANSFER = 'own_transfer';

/** The transfers between wallets, and the lots under way. */
export class OwnTransfers {
  /** Lots by the id of the row that receives them. */
  private readonly taken = new Map<string, Taken>();

  /**
   * @param receivers ids of rows that sent coins to another of the wallets → the row there
   * @param account the account that lots leave to and come from
   */
  constructor(
    private readonly receivers: ReadonlyMap<string, string>,
    readonly account: string,
    private readonly senders = new Set(receivers.values()),
  ) {}

  isSent(row: PricedEvent): boolean {
    return this.receivers.has(row.id);
  }

  isReceived(row: PricedEvent): boolean {
    return this.senders.has(row.id);
  }

  /** Sends lots on their way. */
  send(row: PricedEvent, taken: Taken): void {
    this.taken.set(this.receivers.get(row.id)!, taken);
  }

  /** The lots that a row receives; undefined while its sender has not been replayed so far. */
  lotsFor(row: PricedEvent): Taken | undefined {
    return this.taken.get(row.id);
  }

  /** Brings another wallet's replay so far that the row's lots are under way; undefined where all are known. */
  fetch: ((row: PricedEvent) => void) | undefined;
}

/**
 * Finds the transfers between wallets that say nothing else: no other tag, no asset decision, sent at a disposal and received at
 * unknown basis. Both rows of a payment have one id but for its end.
 * @param rows rows of the wallets whose counterparty is another of them
 */
export function findOwnTransfers(rows: Iterable<PricedEvent>, decisions: Decisions, rules: Rules): OwnTransfers {
  const halves = new Map<string, { sent?: PricedEvent; received?: PricedEvent }>();
  for (const row of rows) {
    const half = halfOf(row, decisions, rules);
    if (!half) continue;
    const payment = row.id.slice(0, row.id.lastIndexOf('-'));
    halves.set(payment, { ...halves.get(payment), [half]: row });
  }
  const receivers = new Map<string, string>();
  for (const { sent, received } of halves.values()) {
    if (sent && received && isOneTransfer(sent, received)) receivers.set(sent.id, received.id);
  }
  return new OwnTransfers(receivers, rules.tag(OWN_TRANSFER)!.out!.account);
}

function halfOf(row: PricedEvent, { tags, assets }: Decisions, rules: Rules): 'sent' | 'received' | undefined {
  const treatment = (direction: Direction) => {
    const applied = appliedTreatment(row, direction, tags, rules);
    return applied?.tag && applied.tag.tag !== OWN_TRANSFER ? undefined : applied;
  };
  const [sent, received] = [sentLeg(row), receivedLeg(row)];
  if (sent && !received) {
    const applied = treatment('out');
    return applied?.tag || applied?.treatment.act === 'dispose' ? 'sent' : undefined;
  }
  if (!received || sent || decisionOf(assets, row)) return undefined;
  const { act, basis } = treatment('in')?.treatment ?? {};
  return act === 'acquire' && basis === 'unknown' ? 'received' : undefined;
}

const isOneTransfer = (sent: PricedEvent, received: PricedEvent) =>
  sent.counterparty === received.address &&
  received.counterparty === sent.address &&
  sent.tx_hash === received.tx_hash &&
  sent.sent_denom === received.received_denom &&
  sent.sent_amount === received.received_amount;
