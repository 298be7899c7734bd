/** A scope whose payments are being explained. */
import { parseCoins } from '../base/values/amount.js';
import type { ChainFacts, Coin, Payment, RowDraft, Scope, ScopedEvent } from './classifier.js';
import { countBefore, OpenPayments } from './payments.js';
import type { Place } from './scopes.js';

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
