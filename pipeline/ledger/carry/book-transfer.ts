import type { Booking } from '../booking.js';
import { acquire, bookReturn } from '../incoming.js';
import type { Leg } from '../legs.js';
import { basisOf, type Slice, whole } from '../lots.js';
import { shortageNotes } from '../opening/shortage.js';
import { measure } from '../slices.js';
import type { Applied } from '../treatment.js';
import type { WalletState } from '../wallet.js';
import type { OwnTransfers } from './own-transfers.js';

/** Relieves lots at basis, without a gain. */
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

/**
 * Adds the sender's lots with their day and basis. Coins without a lot become an ordinary receipt.
 * @param applied treatment of the coins without a lot
 */
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

/** Copies a slice as a new lot, because each wallet numbers its own arrivals. */
function arrived(slice: Slice, wallet: WalletState): Slice {
  return whole(wallet.newLot(slice.lot.acquired, slice.to - slice.from, basisOf(slice)));
}
