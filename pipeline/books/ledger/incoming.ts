import type { PricedEvent, Treatment } from '../../../schemas/types.generated.js';
import { formatCents } from '../../base/values/amount.js';
import { UTC } from '../../base/values/zones.js';
import { ownAccount } from './away.js';
import { type Booking, shortageNotes } from './booking.js';
import { type Applied, DECIDED, type DecidedRow } from './decided-row.js';
import type { Leg } from './legs.js';
import { type Lot, type Taken, whole, withoutFirst } from './lots.js';
import { measure, measureMoved } from './slices.js';
import { type Holding, linkKey, type Relief, type WalletState } from './wallet.js';

/** Memo for returned coins. Their lots keep cost and acquired day, so no asset decision applies. */
const PASSED_OVER = 'asset decision passed over for what comes back';

export function bookIncoming(booking: Booking, side: Leg, applied: Applied, row: DecidedRow): void {
  const { act } = applied.treatment;
  if (act === 'acquire' && row.isReturn) comeHome(booking, side, applied, row);
  else if (act === 'acquire') acquire(booking, side.amount, applied, row);
  else if (act === 'withdraw') withdraw(booking, side, applied, row);
  else if (act === 'restore') restore(booking, side, applied, row);
  else throw new Error(`${booking.event.category}: ${act} is not a treatment of received coins`);
}

/**
 * Books a receipt as a new lot.
 * @param worth value in cents if the coins come from a swap, null if unknown; if undefined, the day's price gives the
 * value
 */
export function acquire(
  booking: Booking,
  quantity: bigint,
  applied: Applied,
  row: DecidedRow,
  worth?: bigint | null,
): void {
  const { event, wallet } = booking;
  const receipt = receiptOf(booking, quantity, applied, row, worth);
  if (row.isDecided) noteDecision(wallet.holding(event.received_denom!), quantity, receipt);
  if (receipt) bookReceipt(booking, receipt);
}

function noteDecision(holding: Holding, quantity: bigint, receipt: Receipt | null): void {
  const kept = receipt?.denom === holding.denom ? receipt.quantity : 0n;
  if (kept < quantity) holding.decidedAway += quantity - kept;
}

function bookReceipt(booking: Booking, receipt: Receipt): void {
  const { wallet, event } = booking;
  const { denom, quantity, basis, account, price, memo } = receipt;
  const holding = wallet.holding(denom);
  const lot = wallet.newLot(receipt.acquired, quantity, basis, receipt.day);
  holding.lots.put(whole(lot));
  if (event.link !== null) remember(wallet.made, linkKey(event.link, denom), lot);
  const cost = basis ?? 0n;
  const credited = receipt.credited ?? cost;
  const amount = credited < cost ? credited : cost;
  const made = { acquired: receipt.day, isUnknown: basis === null };
  booking.post({
    act: 'acquire',
    debit: holding.account,
    credit: account,
    amount,
    holding,
    quantity,
    price,
    memo,
    made,
  });
  // A decision with mode override can state a value and a different basis (D11). Books the difference as an
  // unclassified transfer.
  const rest = { act: 'acquire', holding, quantity: null, price, memo };
  if (credited > cost)
    booking.post({ ...rest, debit: receipt.differenceAccount, credit: account, amount: credited - cost });
  if (credited < cost)
    booking.post({ ...rest, debit: holding.account, credit: receipt.differenceAccount, amount: cost - credited });
}

function remember(made: Map<string, Lot[]>, key: string, lot: Lot): void {
  const lots = made.get(key);
  if (lots) lots.push(lot);
  else made.set(key, [lot]);
}

interface Return {
  readonly act: string;
  readonly credit: string;
  readonly words: readonly string[];
  readonly taken: Taken;
  /** Received base units that exceed the returning coins. The caller books them as a receipt. */
  readonly excess: bigint;
}

export function bookReturn(booking: Booking, side: Leg, { act, credit, words, taken, excess }: Return): void {
  const holding = booking.wallet.holding(side.denom);
  holding.lots.putAll(taken.slices);
  const quantity = side.amount - excess;
  if (quantity === 0n) return;
  const measured = act === 'carry' ? measureMoved(taken, quantity) : measure(taken, quantity, null);
  booking.post({
    act,
    debit: holding.account,
    credit,
    amount: measured.basis,
    holding,
    quantity,
    price: side.price,
    memo: [...words, ...shortageNotes(measured, holding, booking.wallet)].join('; '),
    taken: measured,
  });
}

function withdraw(booking: Booking, side: Leg, { treatment, tag }: Applied, row: DecidedRow): void {
  const { wallet, event } = booking;
  const { excess, ...taken } = wallet.escrow(event.counterparty, side.denom).withdraw(side.amount);
  const words = row.isDecided && !row.isReturn ? [PASSED_OVER] : [];
  bookReturn(booking, side, { act: 'withdraw', credit: treatment.account, words, taken, excess });
  if (excess === 0n) return;
  const account = treatment.excess ?? treatment.account;
  bookIncoming(
    booking,
    { ...side, amount: excess },
    { treatment: { act: 'acquire', basis: 'unknown', account }, tag },
    row,
  );
}

/** Books coins that had been sent to an own place before. Their lots come home; what exceeds them is a receipt. */
function comeHome(booking: Booking, side: Leg, applied: Applied, row: DecidedRow): void {
  const { wallet, event } = booking;
  const home = wallet.away?.bringHome(event, side.amount, wallet) ?? { slices: [], short: 0n, excess: side.amount };
  const { excess, ...taken } = home;
  wallet.holding(side.denom).unmatched -= taken.short;
  const words = [event.counterparty === null ? 'returned' : `returned from ${event.counterparty}`];
  bookReturn(booking, side, { act: 'return', credit: ownAccount(wallet.rules), words, taken, excess });
  if (excess > 0n) acquire(booking, excess, applied, row);
}

/** Restores the lots that the refunded row took. If there is no such row, books a receipt. */
function restore(booking: Booking, side: Leg, { treatment, tag }: Applied, row: DecidedRow): void {
  const { wallet, event } = booking;
  const unknown = { act: 'acquire', basis: 'unknown', account: treatment.account } as const;
  const key = event.link === null ? undefined : linkKey(event.link, side.denom);
  const relief = key === undefined ? undefined : wallet.relieved.get(key);
  if (key !== undefined && relief?.quantity === side.amount) {
    wallet.relieved.delete(key);
    const home = wallet.away?.refund(relief.eventId, side.denom) ?? 0n;
    undo(booking, side, remaining(relief, home), row.isDecided ? ['refund', PASSED_OVER] : ['refund']);
    // A return took these coins of the refunded send in place of others, which come home now.
    if (home > 0n) comeHome(booking, { ...side, amount: home }, { treatment: unknown, tag }, row);
  } else acquire(booking, side.amount, { treatment: unknown, tag }, row);
}

/** Returns what a refund restores, if some coins of the send have come home before. Such sends realize no gain. */
function remaining(relief: Relief, home: bigint): Relief {
  if (home === 0n) return relief;
  const taken = withoutFirst(relief.taken, home);
  const quantity = relief.quantity - home;
  return { ...relief, quantity, taken, basis: measure(taken, quantity, null).basis };
}

function undo(booking: Booking, side: Leg, relief: Relief, words: readonly string[]): void {
  if (relief.quantity === 0n) return;
  const holding = booking.wallet.holding(side.denom);
  holding.lots.putAll(relief.taken.slices);
  holding.unmatched -= relief.taken.short;
  const measured = measure(relief.taken, relief.quantity, null);
  const common = { holding, price: side.price, reverses: relief.eventId };
  booking.post({
    ...common,
    act: 'restore',
    debit: holding.account,
    credit: relief.account,
    amount: relief.basis,
    quantity: relief.quantity,
    memo: [...words, ...shortageNotes(measured, holding, booking.wallet)].join('; '),
    taken: measured,
  });
  booking.postGain(-relief.gain, relief.account, { ...common, memo: 'refund' });
  booking.postUnknownBasis(-relief.unknownProceeds, relief.account, { ...common, memo: 'refund' });
}

interface Receipt {
  readonly denom: string;
  /** Base units. */
  readonly quantity: bigint;
  readonly acquired: string;
  /** The acquired day in the zone of the books. */
  readonly day: string;
  /** Cents, or null if unknown. */
  readonly basis: bigint | null;
  /** Cents credited to `account`. If null, the credited amount is the basis. */
  readonly credited: bigint | null;
  readonly account: string;
  readonly differenceAccount: string;
  /** micro-USD per token, on the day of the receipt. */
  readonly price: bigint | null;
  readonly memo: string;
}

function receiptOf(
  booking: Booking,
  quantity: bigint,
  { treatment, tag }: Applied,
  row: DecidedRow,
  worth?: bigint | null,
): Receipt | null {
  const { event, wallet } = booking;
  if (row.isExcluded) return excluded(event, wallet);
  const denom = row.coin?.denom ?? event.received_denom!;
  const units = row.coin?.quantity ?? quantity;
  const price = row.coin ? row.coin.price : event.received_price;
  const byPrice = () => (price === null ? null : marketValue(booking, treatment, denom, units, price));
  const value = row.value ?? (worth === undefined ? byPrice() : worth);
  const basis = row.cost ?? basisBy(treatment, value);
  const words = row.isDecided ? 'asset decision' : '';
  return {
    denom,
    quantity: units,
    ...acquiredOf(event, wallet, row.acquired),
    basis,
    credited: treatment.income ? (value ?? 0n) : worth === undefined ? null : value,
    account: treatment.account,
    differenceAccount: DECIDED.account,
    price,
    memo: joined(joined(tag ? `tag ${tag.tag}` : '', words), valuation(treatment, basis, value)),
  };
}

function marketValue(
  { wallet, event }: Booking,
  rule: Treatment,
  denom: string,
  quantity: bigint,
  price: bigint,
): bigint | null {
  const { decimals } = wallet.rules.denomination(denom);
  const day = UTC.dayOf(event.time);
  if (!rule.income) return wallet.valuer.valueOf(quantity, decimals, price, day);
  return wallet.income.add({ account: rule.account, denom, decimals, quantity, price, day });
}

/** A stated day is the owner's in every zone. */
const acquiredOf = ({ time }: PricedEvent, { zone }: WalletState, stated?: string) => ({
  acquired: stated ?? UTC.dayOf(time),
  day: stated ?? zone.dayOf(time),
});

const joined = (a: string, b: string) => (a === '' || b === '' ? a + b : `${a}; ${b}`);

function valuation(rule: Treatment, basis: bigint | null, value: bigint | null): string {
  if (basis === null)
    return value === null ? 'basis unknown; price missing' : `basis unknown; FMV ${formatCents(value)}`;
  return value === null && rule.basis === 'market' ? 'price missing' : '';
}

function basisBy(rule: Treatment, value: bigint | null): bigint | null {
  if (rule.basis === 'market') return value;
  return rule.basis === 'zero' ? 0n : null;
}

/** Excluded native coins get a lot with zero basis, so that quantities still match the chain. Other coins get none. */
function excluded(event: PricedEvent, wallet: WalletState): Receipt | null {
  if (event.received_denom !== wallet.rules.nativeDenom) return null;
  return {
    denom: event.received_denom,
    quantity: event.received_amount!,
    ...acquiredOf(event, wallet),
    basis: 0n,
    credited: null,
    account: DECIDED.account,
    differenceAccount: DECIDED.account,
    price: event.received_price,
    memo: 'excluded by asset decision',
  };
}
