/** Lots that keep basis and date between the wallets of one request (own_wallets=carry, R11). */
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { type Booking, shortageNotes } from './booking.js';
import type { Decisions } from './decisions.js';
import { acquire, bookReturn } from './incoming.js';
import { type Leg, receivedLeg, sentLeg } from './legs.js';
import { basisOf, type Slice, type Taken, whole } from './lots.js';
import type { Rules } from './rules.js';
import { measure } from './slices.js';
import { type Applied, appliedTreatment, type Direction, decisionOf } from './treatment.js';
import type { WalletState } from './wallet.js';

/** Any other tag prevents carrying lots. */
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

  /** Returns undefined until the sender has been replayed. */
  lotsFor(row: PricedEvent): Taken | undefined {
    return this.taken.get(row.id);
  }

  /** Advances the sender's replay up to this row, during a joint replay. */
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

export function bookSent(booking: Booking, side: Leg, own: OwnTransfers): void {
  const { wallet, event } = booking;
  const holding = wallet.holding(side.denom);
  const taken = holding.lots.take(side.amount);
  const measured = measure(taken, side.amount, null);
  holding.unmatched += taken.short;
  own.send(event, taken);
  booking.post({
    act: 'carry',
    debit: own.account,
    credit: holding.account,
    amount: measured.basis,
    holding,
    quantity: side.amount,
    price: side.price,
    memo: [`to own wallet ${event.counterparty}`, ...shortageNotes(measured, holding, wallet)].join('; '),
    taken: measured,
  });
}

/** Adds the sender's lots with their day and basis. Coins without a lot are received as `applied` says. */
export function bookReceived(booking: Booking, side: Leg, own: OwnTransfers, applied: Applied): void {
  const { wallet, event } = booking;
  if (!own.lotsFor(event)) own.fetch?.(event);
  const carried = own.lotsFor(event);
  if (!carried) throw new Error(`row ${event.id}: the sending row of this own transfer is missing`);
  const taken = { slices: carried.slices.map((slice) => arrived(slice, wallet)), short: 0n };
  const excess = carried.short;
  const words = [`from own wallet ${event.counterparty}`];
  bookReturn(booking, side, { act: 'carry', credit: own.account, words, taken, excess });
  if (excess > 0n) acquire(booking, excess, applied);
}

/** Each wallet numbers its own arrivals, so the slice becomes a new lot. */
function arrived(slice: Slice, wallet: WalletState): Slice {
  return whole(wallet.newLot(slice.lot.acquired, slice.to - slice.from, basisOf(slice)));
}

/**
 * Replays a request's wallets together, so that lots follow transfers between them. A receiving wallet first advances
 * the sender's replay. A transfer is sent before it is received, so no cycle occurs.
 * @param replays entries by wallet address
 */
export function replayJointly(replays: ReadonlyMap<string, Iterator<LedgerEntry>>, own: OwnTransfers): void {
  own.fetch = (row: PricedEvent) => {
    const sender = replays.get(row.counterparty!)!;
    while (!own.lotsFor(row) && !sender.next().done);
  };
  for (const replay of replays.values()) while (!replay.next().done);
  own.fetch = undefined;
}
