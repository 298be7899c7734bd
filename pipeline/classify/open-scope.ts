import type { Message } from '../chain/block.js';
import { parseCoins } from '../ledger/amount.js';
import type { ChainFacts, Coin, Payment, Phase, RowDraft, Scope, ScopedEvent, Via } from './classifier.js';
import { countBefore, OpenPayments } from './open-payments.js';

export type ScopeFacts = Pick<
  Scope,
  'chain' | 'phase' | 'height' | 'place' | 'succeeded' | 'message' | 'via' | 'contracts' | 'cause' | 'events'
>;

export class OpenScope implements Scope {
  readonly chain: ChainFacts;
  readonly phase: Phase;
  readonly height: number;
  readonly place: string;
  readonly succeeded: boolean;
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  readonly contracts: ReadonlySet<string>;
  readonly cause: string | undefined;
  readonly events: readonly ScopedEvent[];
  readonly rows: RowDraft[] = [];
  private readonly left: OpenPayments;
  private readonly byType = new Map<string, ScopedEvent[]>();

  /** @param oversized denoms too large to store; also removed from coins in events */
  constructor(
    facts: ScopeFacts,
    readonly payments: readonly Payment[],
    private readonly oversized: ReadonlySet<string>,
  ) {
    const { chain } = facts;
    this.chain = chain;
    this.phase = facts.phase;
    this.height = facts.height;
    this.place = facts.place;
    this.succeeded = facts.succeeded;
    this.message = facts.message;
    this.via = facts.via;
    this.contracts = facts.contracts;
    this.cause = facts.cause;
    this.events = facts.events;
    // Payments between the chain's own accounts need no rows.
    this.left = new OpenPayments(payments.filter(({ from, to }) => chain.isWallet(from) || chain.isWallet(to)));
    for (const event of facts.events) {
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
    const payments: Payment[] = [];
    for (const payment of this.left.before(before)) {
      if (payment.index <= after) break;
      payments.push(payment);
    }
    return payments.reverse();
  }

  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after = -1): Payment | undefined {
    for (const payment of this.paidFor(event)) {
      if (payment.index <= after) return undefined;
      if (fits(payment)) return payment;
    }
    return undefined;
  }

  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[] {
    /** Payments of the current send, in reverse order. */
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

  /** Yields unexplained payments since the previous event of the same type, latest first. */
  private *paidFor({ index, type }: ScopedEvent): Generator<Payment> {
    const since = this.eventBefore(index, type)?.index ?? -1;
    for (const payment of this.left.before(index)) {
      if (payment.index < since) return;
      yield payment;
    }
  }

  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void {
    for (const payment of payments) {
      if (!this.left.take(payment))
        throw new Error(`${this.place}: the payment at event ${payment.index} is explained twice`);
    }
    for (const row of rows) if (this.chain.isWallet(row.address)) this.rows.push(row);
  }
}

const isCoin = (payment: Payment, coin: Coin) => payment.denom === coin.denom && payment.amount === coin.amount;
