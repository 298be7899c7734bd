/** Books coins that leave: disposals, reliefs, deposits and burned deposits. */
import { formatCents } from '../base/values/amount.js';
import { type Booking, shortageNotes } from './booking.js';
import { type Leg, worthOf } from './legs.js';
import type { Taken } from './lots.js';
import { measure } from './slices.js';
import type { Applied } from './treatment.js';
import { type Holding, linkKey } from './wallet.js';

const NEVER_DEPOSITED = 'not deposited in the index';

/** Books a sent leg. `proceeds` is cents if a swap sets the value; if absent, the day's price applies. */
export function bookOutgoing(booking: Booking, side: Leg, applied: Applied, proceeds?: bigint | null): void {
  const { act } = applied.treatment;
  if (act === 'deposit') deposit(booking, side, applied);
  else if (act === 'burn-deposit') burnDeposit(booking, side, applied);
  else if (act === 'dispose' || act === 'relieve' || act === 'relieve-linked')
    relieve(booking, side, applied, proceeds);
  else throw new Error(`${booking.event.category}: ${act} is not a treatment of sent coins`);
}

/** Relieves basis first in, first out. A disposal also realizes the gain. */
function relieve(booking: Booking, side: Leg, { treatment, tag }: Applied, given?: bigint | null): void {
  const { wallet, event } = booking;
  const holding = wallet.holding(side.denom);
  const taken =
    treatment.act === 'relieve-linked' ? takeLinked(booking, side, holding) : holding.lots.take(side.amount);
  const disposes = treatment.act === 'dispose';
  const worth = given === undefined ? worthOf(side, holding) : given;
  const proceeds = disposes ? worth : null;
  const measured = measure(taken, side.amount, proceeds);
  const gain = proceeds === null ? 0n : measured.knownProceeds - measured.basis;
  const memo: string[] = [];
  if (tag) memo.push(`tag ${tag.tag}`);
  if (disposes && worth === null) memo.push('price missing, gain not computed');
  if (treatment.memoMarketValue) memo.push(worth === null ? 'price missing' : `FMV ${formatCents(worth)}`);
  memo.push(...shortageNotes(measured, holding, wallet));
  holding.unmatched += taken.short;
  booking.post({
    act: disposes ? 'dispose' : 'relieve',
    debit: treatment.account,
    credit: holding.account,
    amount: measured.basis,
    holding,
    quantity: side.amount,
    price: side.price,
    memo: memo.join('; '),
    taken: measured,
    proceeds,
  });
  const like = { holding, price: side.price, memo: tag ? `tag ${tag.tag}` : '' };
  booking.postGain(gain, treatment.account, like);
  booking.postUnknownBasis(measured.unknownProceeds, treatment.account, like);
  if (event.link !== null) {
    const { basis, unknownProceeds } = measured;
    const relief = { eventId: event.id, quantity: side.amount, taken, basis, gain, unknownProceeds };
    wallet.relieved.set(linkKey(event.link, side.denom), { ...relief, account: treatment.account });
  }
}

function takeLinked({ wallet, event }: Booking, side: Leg, holding: Holding): Taken {
  const lots = event.link === null ? [] : (wallet.made.get(linkKey(event.link, side.denom)) ?? []);
  return holding.lots.takeFrom(lots, side.amount);
}

function deposit(booking: Booking, side: Leg, { treatment }: Applied): void {
  const { wallet, event } = booking;
  const holding = wallet.holding(side.denom);
  const taken = holding.lots.take(side.amount);
  wallet.deposit(event.counterparty, side.denom, taken);
  postTaken(booking, side, taken, { act: 'deposit', debit: treatment.account, credit: holding.account });
}

function burnDeposit(booking: Booking, side: Leg, { treatment }: Applied): void {
  const { wallet, event } = booking;
  const { slices, short, excess } = wallet.withdraw(event.counterparty, side.denom, side.amount);
  const credit = treatment.from ?? wallet.holding(side.denom).account;
  const accounts = { act: 'burn-deposit', debit: treatment.account, credit };
  const reason = excess > 0n ? { reason: NEVER_DEPOSITED } : {};
  postTaken(booking, side, { slices, short: short + excess }, { ...accounts, ...reason });
}

interface Accounts {
  readonly act: string;
  readonly debit: string;
  readonly credit: string;
  readonly reason?: string;
}

function postTaken(booking: Booking, side: Leg, taken: Taken, { reason, ...accounts }: Accounts): void {
  const holding = booking.wallet.holding(side.denom);
  const measured = measure(taken, side.amount, null);
  booking.post({
    ...accounts,
    amount: measured.basis,
    holding,
    quantity: side.amount,
    price: side.price,
    memo: shortageNotes(measured, holding, booking.wallet, reason).join('; '),
    taken: measured,
  });
}
