/**
 * Classifies one scope. The event classifiers run first, then the classifiers of its message or phase. Payments that
 * are still unexplained become `unclassified` rows.
 */
import { parseCoins } from '../base/values/amount.js';
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
import { classifierOfMessage, classifiersOfEvent, phaseClassifiers } from './modules/index.js';
import { creditRouted } from './routed.js';
import type { Part, Place } from './scopes.js';

export interface ClassifiedScope {
  readonly rows: readonly RowDraft[];
  readonly source: string;
  readonly unclassified: number;
  readonly unreviewed: number;
}

export function classifyScope(part: Part, place: Place): ClassifiedScope {
  const { phase, message, via, contracts, events, payments } = part;
  const { chain, height, name, succeeded, oversized } = place;
  const ofMessage = message && classifierOfMessage.get(message.typeUrl);
  const cause = ofMessage?.trigger ?? (events.some(({ type }) => SLASHES.includes(type)) ? 'slash' : undefined);
  const facts = { chain, phase, height, place: name, succeeded, message, via, contracts, cause, events, payments };
  const scope = openScope(facts, oversized);
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

/** @param oversized denoms with amounts too large for a column; they are left out of coins in events */
export function openScope(
  facts: Facts,
  oversized: ReadonlySet<string>,
): Scope & { readonly rows: readonly RowDraft[] } {
  const { chain, place, events, payments } = facts;
  const rows: RowDraft[] = [];
  // Payments between the chain's own accounts need no rows.
  const left = new OpenPayments(payments.filter(({ from, to }) => chain.isWallet(from) || chain.isWallet(to)));
  const byType = new Map<string, ScopedEvent[]>();
  for (const event of events) {
    const same = byType.get(event.type);
    if (same) same.push(event);
    else byType.set(event.type, [event]);
  }
  const eventsOf = (type: string): readonly ScopedEvent[] => byType.get(type) ?? [];

  function eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined {
    let nearest: ScopedEvent | undefined;
    for (const type of types) {
      const events = eventsOf(type);
      const event = events[countBefore(events, index) - 1];
      if (event && event.index > (nearest?.index ?? -1)) nearest = event;
    }
    return nearest;
  }

  /** Yields the unexplained payments between the previous event of this type and this event, latest first. */
  function* paidFor({ index, type }: ScopedEvent): Generator<Payment> {
    const since = eventBefore(index, type)?.index ?? -1;
    for (const payment of left.before(index)) {
      if (payment.index < since) return;
      yield payment;
    }
  }

  return {
    ...facts,
    rows,
    eventsOf,
    eventBefore,
    coins(event, key) {
      const coins = parseCoins(event.get(key) ?? '');
      return oversized.size === 0 ? coins : coins.filter(({ denom }) => !oversized.has(denom));
    },
    unexplained({ after = -1, before = Infinity } = {}) {
      const open: Payment[] = [];
      for (const payment of left.before(before)) {
        if (payment.index <= after) break;
        open.push(payment);
      }
      return open.reverse();
    },
    paymentBefore(event, fits, after = -1) {
      for (const payment of paidFor(event)) {
        if (payment.index <= after) return undefined;
        if (fits(payment)) return payment;
      }
      return undefined;
    },
    sendBefore(event, coins, fits) {
      /** Payments of one bank send, latest first. */
      let send: Payment[] = [];
      const isIt = () =>
        send.length === coins.length && send.every((one, i) => isCoin(one, coins[coins.length - 1 - i]!) && fits(one));
      for (const payment of paidFor(event)) {
        if (send.length > 0 && send[0]!.index !== payment.index) {
          if (isIt()) break;
          send = [];
        }
        send.push(payment);
      }
      return isIt() ? send.reverse() : [];
    },
    explain(explained, explaining) {
      for (const payment of explained) {
        if (!left.take(payment)) throw new Error(`${place}: the payment at event ${payment.index} is explained twice`);
      }
      for (const row of explaining) if (chain.isWallet(row.address)) rows.push(row);
    },
  };
}

const isCoin = (payment: Payment, coin: Coin) => payment.denom === coin.denom && payment.amount === coin.amount;

/** The unexplained payments. A contract may make thousands, so a disjoint-set forest skips explained ones. */
export class OpenPayments {
  private readonly places = new Map<Payment, number>();
  /**
   * The forest, indexed by position in `all` plus 1. Unexplained payments point to themselves, explained ones to a
   * smaller index. 0 means: no earlier payment.
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

  /** Returns the index of the last unexplained payment up to `from`, or 0. */
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

/** @param items sorted by index */
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

/** where the payments come from, for people */
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
