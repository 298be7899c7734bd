/**
 * The replay: a wallet's events in, journal entries out, lots in the wallet's state. The night and every request run this one
 * function. It knows acts, not categories: what a row means is data (data/reference/categories.json, tags.json).
 */
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { Booking } from './booking.js';
import { bookReceived, bookSent } from './carry/book-transfer.js';
import type { OwnTransfers } from './carry/own-transfers.js';
import type { Decisions } from './decisions/decisions.js';
import { bookMove, bookSwap } from './exchange.js';
import { bookIncoming } from './incoming.js';
import { feeLeg, receivedLeg, sentLeg } from './legs.js';
import { bookOutgoing } from './outgoing.js';
import { type Partners, pairSwapLegs } from './swap-legs.js';
import { appliedTreatment, type Direction, decisionOf } from './treatment.js';
import type { WalletState } from './wallet.js';

export { openWallet, type WalletState } from './wallet.js';

/**
 * Replays events of one wallet and yields their entries as they come about; whoever reads decides how fast, so that a huge
 * wallet can be replayed piece by piece. May be called again with the events that follow, cut between two transactions.
 * @param events rows by height and position, fee before messages, from the wallet's first on: a replay is always whole
 * @param decisions checked by tagIssues and decisionIssues
 * @param wallet the state before the first of the events; holds the lots afterwards
 * @param own transfers to and from other wallets whose lots travel; by default none do
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

/** Events between two stops of a replay that nobody wants entries of: about as many as are booked in a tenth of a millisecond. */
const UNWRITTEN_EVENTS = 100;

/** Replays events as replayWallet does, for the lots that are left in the end, and stops now and then. */
export function* replayUnwritten(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  own?: OwnTransfers,
): Generator<undefined, void, undefined> {
  const partners: Partners = new Map();
  let count = 0;
  for (const event of pairSwapLegs(events, wallet.rules, partners)) {
    booked(event, decisions, wallet, partners, own);
    if (++count % UNWRITTEN_EVENTS === 0) yield;
  }
}

/** Books a row of the wallet. */
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

/** The events up to the end of a UTC day (YYYY-MM-DD). */
export function* eventsUntil(events: Iterable<PricedEvent>, day: string): Generator<PricedEvent, void, undefined> {
  for (const event of events) {
    if (event.time.slice(0, 10) > day) return;
    yield event;
  }
}

/** Books one row: first its fee, then what left, then what arrived. */
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

/** Coins that nothing says what to do with stop the replay: passed over, they would bend every figure that follows. */
function untreated(event: PricedEvent, what: string): never {
  throw new Error(`row ${event.id}: ${event.category} has no treatment for ${what}`);
}
