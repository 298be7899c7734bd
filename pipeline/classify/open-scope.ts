/** The scope that classifiers work on: keeps the payments that are still unexplained. */
import type { Message } from '../chain/block.js';
import { parseCoins } from '../ledger/amount.js';
import type { ChainFacts, Coin, Payment, Phase, RowDraft, Scope, ScopedEvent, Via } from './classifier.js';

/** The facts of a scope that are known before anything is explained. */
export type ScopeFacts = Omit<Scope, 'coins' | 'unexplained' | 'sendBefore' | 'explain'>;

export class OpenScope implements Scope {
  readonly chain: ChainFacts;
  readonly phase: Phase;
  readonly place: string;
  readonly succeeded: boolean;
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  readonly contracts: ReadonlySet<string>;
  readonly cause: string | undefined;
  readonly events: readonly ScopedEvent[];
  /** Rows of all that has been explained so far. */
  readonly rows: RowDraft[] = [];
  private readonly left: Payment[];

  /** @param oversized denoms whose amounts no table can hold: left out of what events say, as they are of the payments */
  constructor(
    facts: ScopeFacts,
    payments: readonly Payment[],
    private readonly oversized: ReadonlySet<string>,
  ) {
    this.chain = facts.chain;
    this.phase = facts.phase;
    this.place = facts.place;
    this.succeeded = facts.succeeded;
    this.message = facts.message;
    this.via = facts.via;
    this.contracts = facts.contracts;
    this.cause = facts.cause;
    this.events = facts.events;
    // Payments between the chain's own accounts alone need no explanation.
    this.left = payments.filter(({ from, to }) => facts.chain.isWallet(from) || facts.chain.isWallet(to));
  }

  coins(event: ScopedEvent, key: string): readonly Coin[] {
    const coins = parseCoins(event.get(key) ?? '');
    return this.oversized.size === 0 ? coins : coins.filter(({ denom }) => !this.oversized.has(denom));
  }

  unexplained(): readonly Payment[] {
    return [...this.left];
  }

  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[] {
    let end = this.left.length;
    while (end > 0) {
      const { index } = this.left[end - 1]!;
      let start = end - 1;
      while (start > 0 && this.left[start - 1]!.index === index) start--; // payments of one index are the coins of one send
      if (index < event.index && end - start === coins.length) {
        const send = this.left.slice(start, end);
        if (send.every((payment, i) => isCoin(payment, coins[i]!) && fits(payment))) return send;
      }
      end = start;
    }
    return [];
  }

  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void {
    for (const payment of payments) {
      const at = this.left.indexOf(payment);
      if (at < 0) throw new Error(`${this.place}: the payment at event ${payment.index} is explained twice`);
      this.left.splice(at, 1);
    }
    for (const row of rows) if (this.chain.isWallet(row.address)) this.rows.push(row);
  }
}

const isCoin = (payment: Payment, coin: Coin) => payment.denom === coin.denom && payment.amount === coin.amount;
