/**
 * Replays a wallet's events into journal entries and lots. data/reference/categories.json defines how each category is
 * booked. With own_wallets=carry (R11), lots keep basis and date when they move between the wallets of a request.
 */

import type { PricedEvent, Treatment } from '../../../schemas/types.generated.js';
import { formatCents } from '../../base/values/amount.js';
import { UTC } from '../../base/values/zones.js';
import type { LotMethod } from '../methods/method.js';
import { Away, hasReturns, ownAccount } from './away.js';
import { Booking, shortageNotes } from './booking.js';
import { type Applied, type DecidedRow, decideAll } from './decided-row.js';
import type { Decisions } from './decisions.js';
import type { Entry } from './entry.js';
import { OWN_TRANSFER } from './homecoming.js';
import { acquire, bookIncoming, bookReturn } from './incoming.js';
import { type Leg, type Partners, pairSwapLegs } from './legs.js';
import { converted, type Parcel, parcelsOf, type Taken, unitsOfKnownBasis, whole } from './lots.js';
import type { Rules } from './rules.js';
import { measure, measureMoved } from './slices.js';
import { type Holding, linkKey, type WalletState } from './wallet.js';

export { WalletState } from './wallet.js';

/**
 * Replays one wallet lazily. To continue, call it again with the events of later transactions.
 * @param events all rows of the wallet, by height and position, fees before messages
 * @param decisions already checked by reportTags and decisionIssues
 * @param wallet state before the first event; updated in place
 * @throws Error for a row of another wallet, because wallets never share lots (Reg. §1.1012-1(j))
 */
export function* replayWallet(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  own?: OwnTransfers,
): Generator<Entry, void, undefined> {
  const partners: Partners = new Map();
  for (const row of decidedRows(events, decisions, wallet, partners)) {
    const booking = new Booking(wallet, row.event);
    bookRow(booking, row, partners, own);
    yield* booking.entries;
  }
}

/** Updates the wallet's lots without building journal entries. Yields each row before it is booked. */
export function* replayUnwritten(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  own?: OwnTransfers,
): Generator<PricedEvent, void, undefined> {
  const partners: Partners = new Map();
  for (const row of decidedRows(events, decisions, wallet, partners)) {
    yield row.event;
    bookRow(new Booking(wallet, row.event), row, partners, own);
  }
}

function* decidedRows(
  events: Iterable<PricedEvent>,
  decisions: Decisions,
  wallet: WalletState,
  partners: Partners,
): Generator<DecidedRow, void, undefined> {
  for (const row of pairSwapLegs(decideAll(events, decisions, wallet.rules), wallet.rules, partners)) {
    const { address } = row.event;
    if (wallet.address === '') wallet.address = address;
    else if (wallet.address !== address) throw new Error(`row of ${address} in wallet ${wallet.address}`);
    yield row;
  }
}

/** @param to YYYY-MM-DD HH:MM:SS */
export function* eventsUntil(events: Iterable<PricedEvent>, to: string): Generator<PricedEvent, void, undefined> {
  for (const event of events) {
    if (event.time > to) return;
    yield event;
  }
}

function bookRow(booking: Booking, row: DecidedRow, partners: Partners, own: OwnTransfers | undefined): void {
  const { event, wallet } = booking;
  const category = wallet.rules.category(event.category);
  const fee = feeLeg(event);
  const sent = sentLeg(event);
  const received = receivedLeg(event);
  if (fee) bookOutgoing(booking, fee, { treatment: category.out ?? untreated(event, 'a fee'), tag: null }, row.value);
  if (category.effect === 'move') {
    if (sent && received) bookMove(booking, sent, received);
    else untreated(event, 'one side');
  } else if (category.effect === 'swap') {
    bookSwap(booking, category.account!, row, partners.get(event.id));
    partners.delete(event.id);
  } else if (category.in || category.out) {
    if (sent && own?.isSent(event)) bookSent(booking, sent, own);
    else if (sent) bookOutgoing(booking, sent, row.out ?? untreated(event, 'out'), row.value);
    if (received && own?.isReceived(event)) bookReceived(booking, received, own, row);
    else if (received) bookIncoming(booking, received, row.in ?? untreated(event, 'in'), row);
  }
}

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
 * Books a swap. Sent and received coins get the same value. It is the value that the caller states, otherwise the
 * market value of the received coins, otherwise the market value of the sent coins.
 * @param partner the row with the other half, if the swap has two rows
 */
function bookSwap(booking: Booking, account: string, row: DecidedRow, partner: DecidedRow | undefined): void {
  const { event } = booking;
  const sent = sentLeg(event);
  const received = receivedLeg(event);
  const rows = partner ? [row, partner] : [row];
  const got = rows.find((half) => receivedLeg(half.event));
  const gave = rows.find((half) => sentLeg(half.event));
  const value =
    got?.value ??
    gave?.value ??
    worthOf(booking, got && receivedLeg(got.event)) ??
    worthOf(booking, gave && sentLeg(gave.event));
  if (sent) bookOutgoing(booking, sent, { treatment: { act: 'dispose', account }, tag: null }, value);
  if (received) {
    const treatment: Treatment = { act: 'acquire', basis: value === null ? 'unknown' : 'market', account };
    acquire(booking, received.amount, row.in ?? { treatment, tag: null }, row, value);
  }
}

function worthOf({ wallet, event }: Booking, side: Leg | null | undefined): bigint | null {
  if (!side) return null;
  const { decimals } = wallet.rules.denomination(side.denom);
  return wallet.valuer.valueOf(side.amount, decimals, side.price, UTC.dayOf(event.time));
}

const NEVER_DEPOSITED = 'not deposited in the index';

/**
 * Books sent coins.
 * @param value cents from a swap or a decision; null if unknown; undefined if the day's price determines the value
 */
function bookOutgoing(booking: Booking, side: Leg, applied: Applied, value?: bigint | null): void {
  const { act } = applied.treatment;
  if (act === 'deposit') deposit(booking, side, applied);
  else if (act === 'burn-deposit') burnDeposit(booking, side, applied);
  else if (act === 'dispose' || act === 'relieve' || act === 'relieve-linked') relieve(booking, side, applied, value);
  else throw new Error(`${booking.event.category}: ${act} is not a treatment of sent coins`);
}

/** Takes the sent coins from the holding, in the order of its lot method. Books the gain if it is a disposal. */
function relieve(booking: Booking, side: Leg, { treatment, tag }: Applied, given?: bigint | null): void {
  const { wallet, event } = booking;
  const holding = wallet.holding(side.denom);
  const taken =
    treatment.act === 'relieve-linked' ? takeLinked(booking, side, holding) : holding.lots.take(side.amount);
  const disposes = treatment.act === 'dispose';
  const worth = given === undefined ? worthOf(booking, side) : given;
  const proceeds = disposes ? worth : null;
  const measured = measure(taken, side.amount, proceeds);
  const gain = proceeds === null ? 0n : measured.knownProceeds - measured.basis;
  const memo: string[] = [];
  if (tag) memo.push(`tag ${tag.tag}`);
  if (given !== undefined && wallet.rules.category(event.category).effect !== 'swap') memo.push('asset decision');
  if (disposes && worth === null) memo.push('price missing, gain not computed');
  if (treatment.memoMarketValue) memo.push(worth === null ? 'price missing' : `FMV ${formatCents(worth)}`);
  memo.push(...shortageNotes(measured, holding, wallet));
  holding.unmatched += taken.short;
  if (treatment.act === 'relieve' && treatment.account === ownAccount(wallet.rules))
    wallet.away?.send(event, taken, wallet);
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
  wallet.escrow(event.counterparty, side.denom).deposit(taken);
  postTaken(booking, side, taken, { act: 'deposit', debit: treatment.account, credit: holding.account });
}

function burnDeposit(booking: Booking, side: Leg, { treatment }: Applied): void {
  const { wallet, event } = booking;
  const { slices, short, excess } = wallet.escrow(event.counterparty, side.denom).withdraw(side.amount);
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

/** What a transfer moves. `short` is the number of base units for which the sender had no lot. */
interface Carried {
  readonly parcels: readonly Parcel[];
  readonly short: bigint;
}

export class OwnTransfers {
  private readonly carried = new Map<string, Carried>();

  constructor(
    private readonly receivers: ReadonlyMap<string, string>,
    readonly account: string,
    /** The account of the wallets' coins that are away; undefined if no decision brings any home. */
    readonly away: Away | undefined,
    private readonly senders = new Set(receivers.values()),
  ) {}

  isSent(row: PricedEvent): boolean {
    return this.receivers.has(row.id);
  }

  isReceived(row: PricedEvent): boolean {
    return this.senders.has(row.id);
  }

  send(row: PricedEvent, { slices, short }: Taken, method: LotMethod): void {
    const receiver = this.receivers.get(row.id)!;
    if (!this.carried.has(receiver)) this.carried.set(receiver, { parcels: parcelsOf(slices, method), short });
  }

  /** @param row the receiving row of a transfer */
  carriedTo(row: PricedEvent): Carried | undefined {
    return this.carried.get(row.id);
  }

  /**
   * Replays the sender's wallet up to the transfer that this row receives. Undefined unless wallets are replayed
   * jointly.
   */
  fetch: ((row: PricedEvent) => void) | undefined;
}

/**
 * Finds payments from one wallet of the request to another. The only tag that a sending or receiving row may have is
 * `own_transfer`. The sending row must be a plain disposal, and the receiving
 * row must have unknown basis. The ids of both rows are equal up to the last hyphen.
 */
export function findOwnTransfers(rows: Iterable<PricedEvent>, decisions: Decisions, rules: Rules): OwnTransfers {
  const halves = new Map<string, { sent?: PricedEvent; received?: PricedEvent }>();
  for (const row of decideAll(rows, decisions, rules)) {
    const half = halfOf(row);
    if (!half) continue;
    const { event } = row;
    const payment = event.id.slice(0, event.id.lastIndexOf('-'));
    halves.set(payment, { ...halves.get(payment), [half]: event });
  }
  const away = hasReturns(decisions.assets) ? new Away(true) : undefined;
  const receivers = new Map<string, string>();
  for (const { sent, received } of halves.values()) {
    if (sent && received && isOneTransfer(sent, received)) receivers.set(sent.id, received.id);
  }
  return new OwnTransfers(receivers, ownAccount(rules), away);
}

function halfOf({ event, in: incoming, out, isDecided }: DecidedRow): 'sent' | 'received' | undefined {
  if (isDecided) return undefined;
  const isOther = (applied: Applied) => applied.tag !== null && applied.tag.tag !== OWN_TRANSFER;
  const [sent, received] = [sentLeg(event), receivedLeg(event)];
  if (sent && !received) {
    return out && !isOther(out) && (out.tag || out.treatment.act === 'dispose') ? 'sent' : undefined;
  }
  if (!received || sent || !incoming || isOther(incoming)) return undefined;
  const { act, basis } = incoming.treatment;
  return act === 'acquire' && basis === 'unknown' ? 'received' : undefined;
}

const isOneTransfer = (sent: PricedEvent, received: PricedEvent) =>
  sent.counterparty === received.address &&
  received.counterparty === sent.address &&
  sent.tx_hash === received.tx_hash &&
  sent.sent_denom === received.received_denom &&
  sent.sent_amount === received.received_amount;

function bookSent(booking: Booking, side: Leg, own: OwnTransfers): void {
  const { wallet, event } = booking;
  const holding = wallet.holding(side.denom);
  const taken = holding.lots.take(side.amount);
  const measured = measureMoved(taken, side.amount);
  holding.unmatched += taken.short;
  own.send(event, taken, wallet.method);
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

/** Books a transfer from another wallet of the request. Its lots keep their day and basis. */
function bookReceived(booking: Booking, side: Leg, own: OwnTransfers, row: DecidedRow): void {
  const { wallet, event } = booking;
  if (!own.carriedTo(event)) own.fetch?.(event);
  const carried = own.carriedTo(event);
  if (!carried) throw new Error(`row ${event.id}: the sending row of this own transfer is missing`);
  const taken = { slices: carried.parcels.map((parcel) => whole(wallet.arrivedLot(parcel))), short: 0n };
  const excess = carried.short;
  const words = [`from own wallet ${event.counterparty}`];
  bookReturn(booking, side, { act: 'carry', credit: own.account, words, taken, excess });
  if (excess > 0n) acquire(booking, excess, row.in ?? untreated(event, 'in'), row);
}

/**
 * Replays the wallets of a request together, so that lots follow transfers between them. When a wallet receives a
 * transfer, its sender is first replayed up to this transfer. If coins come home, rows are booked in chain order, because
 * the wallets have one account of coins that are away.
 * @param replays replays by wallet address, each of which yields a row before it books it
 */
export function replayJointly(replays: ReadonlyMap<string, Iterator<PricedEvent, void>>, own: OwnTransfers): void {
  /** The row that each replay books next. */
  const next = new Map<string, PricedEvent>();
  const advance = (address: string) => {
    const row = replays.get(address)!.next();
    if (row.done) next.delete(address);
    else next.set(address, row.value);
  };
  own.fetch = (row: PricedEvent) => {
    while (!own.carriedTo(row) && next.has(row.counterparty!)) advance(row.counterparty!);
  };
  for (const address of replays.keys()) advance(address);
  while (next.size > 0) advance(own.away ? earliest(next) : next.keys().next().value!);
  own.fetch = undefined;
}

function earliest(rows: ReadonlyMap<string, PricedEvent>): string {
  let [first] = rows as Iterable<[string, PricedEvent]>;
  for (const other of rows) {
    const [{ height, position }, { height: before, position: place }] = [other[1], first![1]];
    if (height < before || (height === before && position < place)) first = other;
  }
  return first![0];
}

const leg = (amount: bigint | null, denom: string | null, price: bigint | null): Leg | null =>
  amount === null || denom === null || amount === 0n ? null : { amount, denom, price };

const sentLeg = (e: PricedEvent): Leg | null => leg(e.sent_amount, e.sent_denom, e.sent_price);
const receivedLeg = (e: PricedEvent): Leg | null => leg(e.received_amount, e.received_denom, e.received_price);
const feeLeg = (e: PricedEvent): Leg | null => leg(e.fee_amount, e.fee_denom, e.fee_price);
