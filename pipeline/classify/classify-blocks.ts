/**
 * Classifies blocks. scopes.ts splits a block's events into scopes. In each scope the event classifiers run first, then
 * the classifiers of its message or phase. Payments that still have no row get `unclassified` rows. assertExplained
 * compares the rows with the bank events. side-tables.ts fills the other tables.
 */
import type { ChainEvent, CoinMovement } from '../../schemas/types.generated.js';
import { parseCoins } from '../base/values/amount.js';
import type { Block, Message } from '../chain/block.js';
import {
  type ChainFacts,
  type Coin,
  NOT_REVIEWED,
  type Payment,
  type RowDraft,
  type Scope,
  type ScopedEvent,
  SLASHES,
} from './classifier.js';
import { classifierOfMessage, classifiersOfEvent, knownTypes, phaseClassifiers } from './modules/index.js';
import { creditRouted } from './routed.js';
import { type NetChanges, type Part, type Place, placesOf } from './scopes.js';
import { type SideTables, sideTables } from './side-tables.js';

export interface ClassifiedBlock extends SideTables {
  readonly events: readonly ChainEvent[];
  readonly movements: readonly CoinMovement[];
  /** Number of unclassified rows by source: a message's type URL, a block phase, or `fee`. */
  readonly unclassified: ReadonlyMap<string, number>;
  readonly unreviewedMoves: ReadonlyMap<string, number>;
  readonly unknownTypes: ReadonlyMap<string, number>;
  /** Number of messages, by type URL, that succeeded on chain but could not be decoded. */
  readonly undecoded: ReadonlyMap<string, number>;
}

/** @throws Error if rows and bank events of a wallet differ (a classifier bug) */
export function classifyBlock(block: Block, chain: ChainFacts): ClassifiedBlock {
  const counts = { unclassified: new Map(), unreviewedMoves: new Map(), unknownTypes: new Map(), undecoded: new Map() };
  for (const { code, messages } of block.transactions) countMessages(messages, code === 0, counts);
  const places = placesOf(block, chain);
  const [own, ...others] = places;
  const rowsOf = new Map<number, readonly RowDraft[]>();
  for (const place of places) rowsOf.set(place.index, classifyPlace(place, counts));
  for (const { index, messages } of block.transactions) {
    rowsOf.set(index, describeLoneFees(rowsOf.get(index)!, messages));
  }
  const list = new EventList(block);
  const end = firstIndexOf(own.parts.find(({ phase }) => phase === 'EndBlock'));
  for (const row of rowsOf.get(own.index)!) if (row.event < end) list.add(row, own);
  for (const place of others) for (const row of rowsOf.get(place.index)!) list.add(row, place);
  for (const row of rowsOf.get(own.index)!) if (row.event >= end) list.add(row, own);
  return {
    events: list.events,
    movements: places.flatMap(movementsOf),
    ...counts,
    ...sideTables(block, places, rowsOf),
  };
}

type Counts = Readonly<Record<'unclassified' | 'unreviewedMoves' | 'unknownTypes' | 'undecoded', Map<string, number>>>;

function classifyPlace(place: Place, { unclassified, unreviewedMoves }: Counts): RowDraft[] {
  const scopes = place.parts.map((part) => classifyScope(part, place));
  for (const scope of scopes) {
    count(unclassified, scope.source, scope.unclassified);
    count(unreviewedMoves, String(place.height), scope.unreviewed);
  }
  const rows = scopes.flatMap((scope) => scope.rows);
  assertExplained(place.name, place.nets, rows, place.chain);
  return rows.sort((a, b) => a.event - b.event);
}

function countMessages(messages: readonly Message[], succeeded: boolean, counts: Counts): void {
  for (const { typeUrl, fault, inner } of messages) {
    count(counts.unknownTypes, typeUrl, knownTypes.has(typeUrl) ? 0 : 1);
    count(counts.undecoded, typeUrl, succeeded && fault !== undefined ? 1 : 0);
    countMessages(inner, succeeded, counts);
  }
}

function count(counts: Map<string, number>, key: string, more: number): void {
  if (more > 0) counts.set(key, (counts.get(key) ?? 0) + more);
}

const firstIndexOf = (part: Part | undefined) =>
  Math.min(part?.events[0]?.index ?? Infinity, part?.bank[0]?.index ?? Infinity);

function movementsOf({ height, index: place, txHash: tx_hash, nets }: Place): CoinMovement[] {
  return [...nets].flatMap(([address, denoms]) =>
    [...denoms].flatMap(([denom, amount]) =>
      amount === 0n ? [] : [{ address, denom, height, place, tx_hash, amount }],
    ),
  );
}

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

const TYPES_MAX = 3;

function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ typeUrl }) => typeUrl.replace(/^\//, '')))];
  const named = types.slice(0, TYPES_MAX).join(', ');
  return types.length > TYPES_MAX ? `${named} and ${types.length - TYPES_MAX} more` : named;
}

export function describeLoneFees(rows: readonly RowDraft[], messages: readonly Message[]): readonly RowDraft[] {
  const types = typesOf(messages);
  if (types === '' || !rows.some(({ category }) => FEES.has(category))) return rows;
  const others = new Set(rows.filter(({ category }) => !FEES.has(category)).map(({ address }) => address));
  return rows.map((row) => {
    if (!FEES.has(row.category) || others.has(row.address)) return row;
    return { ...row, detail: [row.detail, `For ${types}`].filter(Boolean).join('; ') };
  });
}

class EventList {
  readonly events: ChainEvent[] = [];
  private readonly items = new Map<string, number>();

  constructor(private readonly block: Pick<Block, 'height' | 'time'>) {}

  add(draft: RowDraft, { name, txHash, memo, signers }: Place): void {
    const { sent, received, fee } = draft;
    this.events.push({
      address: draft.address,
      height: this.block.height,
      position: this.events.length,
      id: this.nextId(draft, name),
      time: this.block.time.slice(0, 19).replace('T', ' '),
      tx_hash: txHash,
      category: draft.category,
      sent_amount: sent?.amount ?? null,
      sent_denom: sent?.denom ?? null,
      received_amount: received?.amount ?? null,
      received_denom: received?.denom ?? null,
      fee_amount: fee?.amount ?? null,
      fee_denom: fee?.denom ?? null,
      counterparty: draft.counterparty ?? null,
      validator: draft.validator ?? null,
      reward_trigger: draft.rewardTrigger ?? null,
      detail: draft.detail ?? '',
      memo,
      link: draft.link ?? null,
      to_own_key: draft.toOwnKey ?? false,
      unsolicited: received !== undefined && !draft.byChain && !signers.has(draft.address),
    });
  }

  /**
   * Returns a row id such as `21000000-3-17-0-in`: height, transaction, event, item, side. Items number the rows with
   * the same event and side.
   */
  private nextId({ event, sent, received, fee }: RowDraft, place: string): string {
    const side = fee ? 'fee' : sent && received ? 'both' : sent ? 'out' : 'in';
    const key = `${place}-${event}-${side}`;
    const item = this.items.get(key) ?? 0;
    this.items.set(key, item + 1);
    return `${place}-${event}-${item}-${side}`;
  }
}

/** Categories whose lost coins were not part of a liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * Sums the changes of liquid balances. In rows that tokenize or redeem shares, only the share token is liquid, because
 * the coin leaves or enters a delegation.
 */
export function liquidChanges(rows: readonly RowDraft[]): NetChanges {
  const changes = new Map<string, Map<string, bigint>>();
  for (const { address, category, sent, received, fee } of rows) {
    if (NOT_LIQUID.has(category)) continue;
    const ofAddress = changes.get(address) ?? new Map<string, bigint>();
    changes.set(address, ofAddress);
    const add = (denom: string, amount: bigint) => ofAddress.set(denom, (ofAddress.get(denom) ?? 0n) + amount);
    if (sent && category !== 'tokenize_shares') add(sent.denom, -sent.amount);
    if (received && category !== 'redeem_shares') add(received.denom, received.amount);
    if (fee) add(fee.denom, -fee.amount);
  }
  return changes;
}

/** @throws Error that names the first wallet and denom for which rows and bank events differ (a bug in a classifier) */
export function assertExplained(place: string, moved: NetChanges, rows: readonly RowDraft[], chain: ChainFacts): void {
  const said = liquidChanges(rows);
  const compare = (address: string, denom: string) => {
    const difference = (moved.get(address)?.get(denom) ?? 0n) - (said.get(address)?.get(denom) ?? 0n);
    if (difference !== 0n)
      throw new Error(`${place}: rows and bank events differ by ${difference} for ${address} ${denom}`);
  };
  for (const [address, denoms] of moved) {
    if (chain.isWallet(address)) for (const denom of denoms.keys()) compare(address, denom);
  }
  for (const [address, denoms] of said) for (const denom of denoms.keys()) compare(address, denom);
}

interface ClassifiedScope {
  readonly rows: readonly RowDraft[];
  readonly source: string;
  readonly unclassified: number;
  readonly unreviewed: number;
}

function classifyScope(part: Part, place: Place): ClassifiedScope {
  const { phase, message, via, contracts, events, payments } = part;
  const { chain, height, name, succeeded, oversized } = place;
  const ofMessage = message && classifierOfMessage.get(message.typeUrl);
  const cause = ofMessage?.trigger ?? (events.some(({ type }) => SLASHES.includes(type)) ? 'slash' : undefined);
  const facts = { chain, phase, height, place: name, succeeded, message, via, contracts, cause, events, payments };
  const scope = new OpenScope(facts, oversized);
  for (const event of events) {
    for (const classifier of classifiersOfEvent.get(event.type) ?? []) classifier.classify(event, scope);
  }
  ofMessage?.classify?.(scope);
  for (const classifier of phaseClassifiers) if (classifier.phases.includes(phase)) classifier.classify(scope);
  const source = message?.typeUrl ?? (phase === 'ante' || phase === 'post' ? 'fee' : phase);
  const rest = scope.unexplained();
  const unclassified = unclassifiedRows(rest, chain, `Not classified: ${source}`);
  scope.explain(rest, unclassified);
  const unreviewed = message ? 0 : scope.rows.filter(({ detail }) => detail === NOT_REVIEWED).length;
  const routed = creditRouted(scope.rows, chain);
  const rows = phase === 'message' ? routed : routed.map((row) => ({ ...row, byChain: true }));
  return { rows, source, unclassified: unclassified.length, unreviewed };
}

type Facts = Pick<
  Scope,
  | 'chain'
  | 'phase'
  | 'height'
  | 'place'
  | 'succeeded'
  | 'message'
  | 'via'
  | 'contracts'
  | 'cause'
  | 'events'
  | 'payments'
>;

export class OpenScope implements Scope {
  readonly rows: RowDraft[] = [];
  readonly chain: ChainFacts;
  readonly phase: Scope['phase'];
  readonly height: number;
  readonly place: string;
  readonly succeeded: boolean;
  readonly message: Scope['message'];
  readonly via: Scope['via'];
  readonly contracts: Scope['contracts'];
  readonly cause: Scope['cause'];
  readonly events: Scope['events'];
  readonly payments: Scope['payments'];
  private readonly left: OpenPayments;
  private readonly byType = new Map<string, ScopedEvent[]>();

  /** @param oversized denoms with amounts too large for a column; coins in events leave out these denoms */
  constructor(
    facts: Facts,
    private readonly oversized: Place['oversized'],
  ) {
    const { chain, events, payments } = facts;
    this.chain = chain;
    this.phase = facts.phase;
    this.height = facts.height;
    this.place = facts.place;
    this.succeeded = facts.succeeded;
    this.message = facts.message;
    this.via = facts.via;
    this.contracts = facts.contracts;
    this.cause = facts.cause;
    this.events = events;
    this.payments = payments;
    this.left = new OpenPayments(payments.filter(({ from, to }) => chain.isWallet(from) || chain.isWallet(to)));
    for (const event of events) {
      const same = this.byType.get(event.type);
      if (same) same.push(event);
      else this.byType.set(event.type, [event]);
    }
  }

  eventsOf(type: string): readonly ScopedEvent[] {
    return this.byType.get(type) ?? [];
  }

  eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined {
    let nearest: ScopedEvent | undefined;
    for (const type of types) {
      const events = this.eventsOf(type);
      const event = events[countBefore(events, index) - 1];
      if (event && event.index > (nearest?.index ?? -1)) nearest = event;
    }
    return nearest;
  }

  coins(event: ScopedEvent, key: string): readonly Coin[] {
    const coins = parseCoins(event.get(key) ?? '');
    return this.oversized.size === 0 ? coins : coins.filter(({ denom }) => !this.oversized.has(denom));
  }

  unexplained({ after = -1, before = Infinity } = {}): readonly Payment[] {
    const open: Payment[] = [];
    for (const payment of this.left.before(before)) {
      if (payment.index <= after) break;
      open.push(payment);
    }
    return open.reverse();
  }

  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after = -1): Payment | undefined {
    for (const payment of this.paidFor(event)) {
      if (payment.index <= after) return undefined;
      if (fits(payment)) return payment;
    }
    return undefined;
  }

  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[] {
    /** Payments of the bank send that is being read, latest first. */
    let send: Payment[] = [];
    const isIt = () =>
      send.length === coins.length && send.every((one, i) => isCoin(one, coins[coins.length - 1 - i]!) && fits(one));
    for (const payment of this.paidFor(event)) {
      if (send.length > 0 && send[0]!.index !== payment.index) {
        if (isIt()) break;
        send = [];
      }
      send.push(payment);
    }
    return isIt() ? send.reverse() : [];
  }

  explain(explained: readonly Payment[], explaining: readonly RowDraft[]): void {
    for (const payment of explained) {
      if (!this.left.take(payment))
        throw new Error(`${this.place}: the payment at event ${payment.index} is explained twice`);
    }
    for (const row of explaining) if (this.chain.isWallet(row.address)) this.rows.push(row);
  }

  /** Yields payments without rows between the previous event of this type and this event, latest first. */
  private *paidFor({ index, type }: ScopedEvent): Generator<Payment> {
    const since = this.eventBefore(index, type)?.index ?? -1;
    for (const payment of this.left.before(index)) {
      if (payment.index < since) return;
      yield payment;
    }
  }
}

const isCoin = (payment: Payment, coin: Coin) => payment.denom === coin.denom && payment.amount === coin.amount;

/**
 * The payments that have no rows yet. A contract may make thousands of payments, so a disjoint-set forest finds them
 * quickly.
 */
export class OpenPayments {
  private readonly places = new Map<Payment, number>();
  /**
   * The disjoint-set forest. An index is a position in `all` plus 1. A payment without rows points to itself. A payment
   * with rows points to a smaller index. 0 means that all earlier payments have rows.
   */
  private readonly open: number[] = [0];

  constructor(private readonly all: readonly Payment[]) {
    for (const [place, payment] of all.entries()) {
      this.places.set(payment, place);
      this.open.push(place + 1);
    }
  }

  take(payment: Payment): boolean {
    const place = this.places.get(payment);
    if (place === undefined || this.open[place + 1] !== place + 1) return false;
    this.open[place + 1] = place;
    return true;
  }

  *before(index: number): Generator<Payment> {
    for (let at = this.nearest(countBefore(this.all, index)); at > 0; at = this.nearest(at - 1))
      yield this.all[at - 1]!;
  }

  /** Returns the index of the last payment without rows at or before `from`; 0 if there is none. */
  private nearest(from: number): number {
    const { open } = this;
    let at = from;
    while (open[at] !== at) {
      open[at] = open[open[at]!]!;
      at = open[at]!;
    }
    return at;
  }
}

function countBefore(items: readonly { readonly index: number }[], index: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Net {
  readonly address: string;
  readonly denom: string;
  readonly first: Payment;
  readonly counterparties: Set<string | null>;
  amount: bigint;
}

/**
 * Makes one row for each wallet and denom, with the net amount. Leaves out net amounts of zero.
 * @param detail describes the source of the payments
 */
function unclassifiedRows(payments: readonly Payment[], chain: ChainFacts, detail: string): RowDraft[] {
  const nets = new Map<string, Net>();
  const add = (address: string | null, other: string | null, payment: Payment, amount: bigint) => {
    if (!chain.isWallet(address)) return;
    const key = `${address} ${payment.denom}`;
    let net = nets.get(key);
    if (!net) {
      net = { address, denom: payment.denom, first: payment, counterparties: new Set(), amount: 0n };
      nets.set(key, net);
    }
    net.amount += amount;
    net.counterparties.add(other);
  };
  for (const payment of payments) {
    add(payment.from, payment.to, payment, -payment.amount);
    add(payment.to, payment.from, payment, payment.amount);
  }
  return [...nets.values()].filter(({ amount }) => amount !== 0n).map((net) => rowOf(net, detail));
}

function rowOf({ address, denom, first, counterparties, amount }: Net, detail: string): RowDraft {
  const coin: Coin = { denom, amount: amount < 0n ? -amount : amount };
  return {
    address,
    category: 'unclassified',
    event: first.index,
    ...(amount < 0n ? { sent: coin } : { received: coin }),
    counterparty: counterparties.size === 1 ? [...counterparties][0]! : null,
    detail,
  };
}
