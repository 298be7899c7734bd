/** Bookings of own transfers: lots leave one wallet at their basis and arrive in the other with it. */
import type { Booking } from '../booking.js';
import { acquire, bookReturn } from '../incoming.js';
import type { Leg } from '../legs.js';
import { basisOf, type Slice, whole } from '../lots.js';
import { lacks } from '../opening/shortage.js';
import { measure } from '../slices.js';
import type { Applied } from '../treatment.js';
import type { WalletState } from '../wallet.js';
import type { OwnTransfers } from './own-transfers.js';

/** Lots leave for the other wallet: relief at basis, without a gain. */
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
    memo: [`to own wallet ${event.counterparty}`, ...lacks(measured, holding, wallet)].join('; '),
    taken: measured,
  });
}

/**
 * Lots arrive from the other wallet with acquired day and basis, opening coins as such. What had no lot there is a receipt like any.
 * @param applied the treatment of a receipt that carries nothing
 * @throws Error when the sender's row is not there
 */
export function bookReceived(booking: Booking, side: Leg, own: OwnTransfers, applied: Applied): void {
  const { wallet, event } = booking;
  if (!own.lotsFor(event)) own.fetch?.(event);
  const carried = own.lotsFor(event);
  if (!carried) throw new Error(`row ${event.id}: its own transfer was not sent`);
  const taken = { slices: carried.slices.map((slice) => arrived(slice, wallet)), short: 0n };
  const excess = carried.short;
  const words = [`from own wallet ${event.counterparty}`];
  bookReturn(booking, side, { act: 'carry', credit: own.account, words, taken, excess });
  if (excess > 0n) acquire(booking, excess, applied);
}

/** A slice as a lot of its own here: arrivals are counted wallet by wallet. */
function arrived(slice: Slice, wallet: WalletState): Slice {
  return whole(wallet.newLot(slice.lot.acquired, slice.to - slice.from, basisOf(slice)));
}
