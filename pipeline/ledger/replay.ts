/**
 * Replays a wallet's events into journal entries and lots, for the nightly run and for requests. Treatments are data:
 * data/reference/categories.json, tags.json.
 */
import type { LedgerEntry, PricedEvent, Treatment } from '../../schemas/types.generated.js';
import { Booking, shortageNotes } from './booking.js';
import type { AssetDecisions, Decisions } from './decisions.js';
import { acquire, bookIncoming } from './incoming.js';
import { feeLeg, type Leg, type Partners, pairSwapLegs, receivedLeg, sentLeg, worthOf } from './legs.js';
import { converted, unitsOfKnownBasis } from './lots.js';
import { bookOutgoing } from './outgoing.js';
import { bookReceived, bookSent, type OwnTransfers } from './own-transfers.js';
import { measure } from './slices.js';
import { appliedTreatment, type Direction, decisionOf } from './treatment.js';
import type { WalletState } from './wallet.js';

export { openWallet, type WalletState } from './wallet.js';

/**
 * Replays one wallet lazily. Can be called again with later events, split between transactions.
 * @param events all rows of the wallet, by height and position, fees before messages
 * @param decisions validated by reportTags and decisionIssues
 * @param wallet state before the first event; updated in place
 * @throws Error for a row of another wallet: lots are never pooled (Reg. §1.1012-1(j))
 */
export function* replayWallet(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  own?: OwnTransfers,
): Generator<LedgerEntry, void, undefined> {
  const partners: Partners = new Map();
  for (const event of pairSwapLegs(events, wallet.rules, partners)) {
    for (const entry of booked(event, decisions, wallet, partners, own).entries) yield entry;
  }
}

/** Replays events for the final lots only. */
export function replayUnwritten(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  own?: OwnTransfers,
): void {
  const partners: Partners = new Map();
  for (const event of pairSwapLegs(events, wallet.rules, partners)) booked(event, decisions, wallet, partners, own);
}

function booked(
  event: PricedEvent,
  decisions: Decisions,
  wallet: WalletState,
  partners: Partners,
  own: OwnTransfers | undefined,
): Booking {
  if (wallet.address === '') wallet.address = event.address;
  else if (wallet.address !== event.address) throw new Error(`row of ${event.address} in wallet ${wallet.address}`);
  const booking = new Booking(wallet, event);
  bookEvent(booking, decisions, partners, own);
  return booking;
}

export function* eventsUntil(events: Iterable<PricedEvent>, day: string): Generator<PricedEvent, void, undefined> {
  for (const event of events) {
    if (event.time.slice(0, 10) > day) return;
    yield event;
  }
}

function bookEvent(booking: Booking, decisions: Decisions, partners: Partners, own: OwnTransfers | undefined): void {
  const { event, wallet } = booking;
  const category = wallet.rules.category(event.category);
  const fee = feeLeg(event);
  const sent = sentLeg(event);
  const received = receivedLeg(event);
  if (fee) bookOutgoing(booking, fee, { treatment: category.out ?? untreated(event, 'a fee'), tag: null });
  if (category.effect === 'move') {
    if (sent && received) bookMove(booking, sent, received);
    else untreated(event, 'one side');
  } else if (category.effect === 'swap') {
    bookSwap(booking, category.account!, partners.get(event.id), decisions.assets);
    partners.delete(event.id);
  } else if (category.in || category.out) {
    const treatment = (direction: Direction) =>
      appliedTreatment(event, direction, decisions.tags, wallet.rules) ?? untreated(event, direction);
    if (sent && own?.isSent(event)) bookSent(booking, sent, own);
    else if (sent) bookOutgoing(booking, sent, treatment('out'));
    if (received && own?.isReceived(event)) bookReceived(booking, received, own, treatment('in'));
    else if (received) bookIncoming(booking, received, treatment('in'), decisionOf(decisions.assets, event));
  }
}

/** Skipping coins without a treatment would falsify all later figures. */
function untreated(event: PricedEvent, what: string): never {
  throw new Error(`row ${event.id}: ${event.category} has no treatment for ${what}`);
}

function bookMove(booking: Booking, sent: Leg, received: Leg): void {
  const { wallet } = booking;
  const from = wallet.holding(sent.denom);
  const to = wallet.holding(received.denom);
  const taken = from.lots.take(sent.amount);
  const arrived = converted(taken.slices, received.amount, sent.amount);
  to.lots.putAll(arrived);
  const measured = measure(taken, sent.amount, null);
  booking.post({
    act: 'move',
    debit: to.account,
    credit: from.account,
    amount: measured.basis,
    holding: to,
    quantity: received.amount,
    price: received.price,
    memo: shortageNotes(measured, from, wallet).join('; '),
    taken: measured,
    unknown: received.amount - unitsOfKnownBasis(arrived),
    credited: { holding: from, quantity: sent.amount, price: sent.price },
  });
}

/**
 * Books a swap. Both sides get the value of the received coins, or else of the sent coins. A stated value comes first.
 * @param partner the row with the other side, if a swap has two rows
 */
function bookSwap(booking: Booking, account: string, partner: PricedEvent | undefined, assets: AssetDecisions): void {
  const { wallet, event } = booking;
  const sent = sentLeg(event);
  const received = receivedLeg(event);
  const value =
    statedValue(assets, received || !partner ? event : partner) ??
    worth(wallet, received ?? (partner ? receivedLeg(partner) : null)) ??
    worth(wallet, sent ?? (partner ? sentLeg(partner) : null));
  if (sent) bookOutgoing(booking, sent, { treatment: { act: 'dispose', account }, tag: null }, value);
  if (received) {
    const treatment: Treatment = { act: 'acquire', basis: value === null ? 'unknown' : 'market', account };
    acquire(booking, received.amount, { treatment, tag: null }, decisionOf(assets, event), value);
  }
}

function statedValue(assets: AssetDecisions, event: PricedEvent): bigint | undefined {
  const decision = decisionOf(assets, event);
  return decision?.mode === 'override' ? decision.value_usd : undefined;
}

function worth(wallet: WalletState, side: Leg | null): bigint | null {
  return side ? worthOf(side, wallet.holding(side.denom)) : null;
}
