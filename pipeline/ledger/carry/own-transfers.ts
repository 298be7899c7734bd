/** Transfers between the wallets of one request (own_wallets=carry, R11), whose lots keep basis and date. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { Decisions } from '../decisions/decisions.js';
import { receivedLeg, sentLeg } from '../legs.js';
import type { Taken } from '../lots.js';
import type { Rules } from '../rules.js';
import { appliedTreatment, type Direction, decisionOf } from '../treatment.js';

/** The only tag that is compatible with carrying lots. Any other tag wins over it. */
const OWN_TRANSFER = 'own_transfer';

export class OwnTransfers {
  /** Lots by the id of the receiving row. */
  private readonly taken = new Map<string, Taken>();

  /** @param receivers id of the sending row → id of the receiving row */
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

  send(row: PricedEvent, taken: Taken): void {
    this.taken.set(this.receivers.get(row.id)!, taken);
  }

  /** Returns the lots for a receiving row. Undefined until the sender has been replayed. */
  lotsFor(row: PricedEvent): Taken | undefined {
    return this.taken.get(row.id);
  }

  /** Advances the sender's replay up to this row. Set only during a joint replay. */
  fetch: ((row: PricedEvent) => void) | undefined;
}

/**
 * Finds transfers that are a plain disposal on one side and a receipt of unknown basis on the other. The two rows of a
 * payment share their id except for its last part.
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
