/** Payments in the bank's events, and the net changes of balances. */
import { TOO_LARGE } from '../base/values/amount.js';
import { firstIndex } from '../base/values/first-index.js';
import type { ChainEventRecord } from '../chain/block.js';
import type { BankEvent, ChainFacts, Coin, Payment, RowDraft } from './classifier.js';

export type NetChanges = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export function attribute({ attributes }: ChainEventRecord, key: string): string | undefined {
  for (const pair of attributes) if (pair.key === key) return pair.value;
  return undefined;
}

interface OpenSpend {
  readonly index: number;
  readonly from: string;
  readonly left: Map<string, bigint>;
}

/**
 * Pairs each coin_spent event with the coin_received events after it. Each received coin becomes a payment; minted
 * coins have no payer. Spent coins that nobody received become payments without a receiver. So the sums by address and
 * denom equal the bank events.
 */
export function readPayments(bank: readonly BankEvent[]): Payment[] {
  const payments: Payment[] = [];
  let open: OpenSpend | undefined;
  const close = () => {
    for (const [denom, amount] of open?.left ?? []) {
      if (amount > 0n) payments.push({ index: open!.index, from: open!.from, to: null, denom, amount });
    }
    open = undefined;
  };
  for (const { index, type, address, coins } of bank) {
    if (type === 'coin_spent') {
      close();
      open = { index, from: address, left: new Map(coins.map(({ denom, amount }) => [denom, amount])) };
    } else if (type === 'burn') {
      close();
    } else if (type === 'coin_received') {
      const payer = open && takes(open, coins) ? open.from : null;
      for (const { denom, amount } of coins) payments.push({ index, from: payer, to: address, denom, amount });
    }
  }
  close();
  return payments.sort((a, b) => a.index - b.index);
}

function takes({ left }: OpenSpend, coins: readonly Coin[]): boolean {
  if (coins.some(({ denom, amount }) => (left.get(denom) ?? 0n) < amount)) return false;
  for (const { denom, amount } of coins) left.set(denom, left.get(denom)! - amount);
  return true;
}

export function netChanges(bank: Iterable<BankEvent>): Map<string, Map<string, bigint>> {
  const nets = new Map<string, Map<string, bigint>>();
  for (const { type, address, coins } of bank) {
    if (type === 'coinbase' || type === 'burn') continue;
    const ofAddress = nets.get(address) ?? new Map<string, bigint>();
    nets.set(address, ofAddress);
    for (const { denom, amount } of coins) {
      ofAddress.set(denom, (ofAddress.get(denom) ?? 0n) + (type === 'coin_received' ? amount : -amount));
    }
  }
  return nets;
}

/** Returns denoms whose amounts together are too large for a column, with the accounts that moved them. */
export function oversizedDenoms(bank: readonly BankEvent[]): Map<string, string[]> {
  const totals = new Map<string, bigint>();
  for (const { coins } of bank) {
    for (const { denom, amount } of coins) totals.set(denom, (totals.get(denom) ?? 0n) + amount);
  }
  const denoms = [...totals].filter(([, total]) => total >= TOO_LARGE).map(([denom]) => denom);
  const moved = (denom: string) => bank.filter(({ coins }) => coins.some((coin) => coin.denom === denom));
  return new Map(denoms.map((denom) => [denom, [...new Set(moved(denom).map(({ address }) => address))].sort()]));
}

/** Categories whose lost coins were not part of a liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * Sums the changes of liquid balances. In rows that tokenize or redeem shares, only the share token is liquid, because
 * the coin leaves or enters a delegation.
 */
function liquidChanges(rows: readonly RowDraft[]): NetChanges {
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
  const balanceChanges = liquidChanges(rows);
  const compare = (address: string, denom: string) => {
    const difference = (moved.get(address)?.get(denom) ?? 0n) - (balanceChanges.get(address)?.get(denom) ?? 0n);
    if (difference !== 0n)
      throw new Error(`${place}: rows and bank events differ by ${difference} for ${address} ${denom}`);
  };
  for (const [address, denoms] of moved) {
    if (chain.isWallet(address)) for (const denom of denoms.keys()) compare(address, denom);
  }
  for (const [address, denoms] of balanceChanges) for (const denom of denoms.keys()) compare(address, denom);
}

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

export const countBefore = (items: readonly { readonly index: number }[], index: number): number =>
  firstIndex(items, (item) => item.index >= index);
