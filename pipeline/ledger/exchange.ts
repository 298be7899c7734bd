import type { PricedEvent, Treatment } from '../../schemas/types.generated.js';
import type { Booking } from './booking.js';
import type { AssetDecisions } from './decisions/asset-decisions.js';
import { acquire } from './incoming.js';
import { type Leg, receivedLeg, sentLeg, worthOf } from './legs.js';
import { converted, unitsOfKnownBasis } from './lots.js';
import { shortageNotes } from './opening/shortage.js';
import { bookOutgoing } from './outgoing.js';
import { measure } from './slices.js';
import { decisionOf } from './treatment.js';
import type { WalletState } from './wallet.js';

/** Moves lots to the received denom (tokenized shares). Nothing is realized; basis, acquired day and order are kept. */
export function bookMove(booking: Booking, sent: Leg, received: Leg): void {
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
 * Books a swap. Both sides use the value of the received coins, or else of the sent coins. A stated value wins over the
 * price.
 * @param account the clearing account
 * @param partner the row with the other side, if a swap has two rows
 */
export function bookSwap(
  booking: Booking,
  account: string,
  partner: PricedEvent | undefined,
  assets: AssetDecisions,
): void {
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
