/**
 * Derives payments from bank events. The bank emits coin_spent before coin_received. A mint has no payer, a burn no
 * receiver, a multi-send one coin_spent and many coin_received.
 */
import { TOO_LARGE } from '../ledger/amount.js';
import type { BankEvent, Coin, Payment } from './classifier.js';

/** A coin_spent event whose receivers are not all known yet. */
interface OpenSpend {
  readonly index: number;
  readonly from: string;
  /** Amounts without a receiver, by denom. */
  readonly left: Map<string, bigint>;
}

/**
 * Returns payments in event order. Each received coin makes one payment; coins that nobody received make a payment
 * without a receiver. So sums by address and denom equal the bank events.
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

/** Subtracts the coins from an open spend if it has all of them. */
function takes({ left }: OpenSpend, coins: readonly Coin[]): boolean {
  if (coins.some(({ denom, amount }) => (left.get(denom) ?? 0n) < amount)) return false;
  for (const { denom, amount } of coins) left.set(denom, left.get(denom)! - amount);
  return true;
}

/** Returns Σ coin_received − Σ coin_spent by address and denom, including zeros. */
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

/** Returns denoms whose amounts add up to more than a table column holds. */
export function oversizedDenoms(bank: Iterable<BankEvent>): Set<string> {
  const totals = new Map<string, bigint>();
  for (const { coins } of bank) {
    for (const { denom, amount } of coins) totals.set(denom, (totals.get(denom) ?? 0n) + amount);
  }
  return new Set([...totals].filter(([, total]) => total >= TOO_LARGE).map(([denom]) => denom));
}
