/**
 * Makes payments and movements of bank events. The bank emits coin_spent before coin_received; a mint is a coin_received without a
 * payer, a burn a coin_spent without a receiver, a multi-send one coin_spent with many coin_received.
 */
import { TOO_LARGE } from '../ledger/amount.js';
import type { BankEvent, Coin, Payment } from './classifier.js';

/** A coin_spent whose receiver has not been seen yet. */
interface OpenSpend {
  readonly index: number;
  readonly from: string;
  /** Coins without a receiver so far, by denom. */
  readonly left: Map<string, bigint>;
}

/**
 * The payments of one scope in the order of their arrival. Their sums are those of the bank events exactly, for every address and
 * denom: each coin received makes one payment, and what was spent and arrived nowhere makes one without a receiver.
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

/** Takes the coins from an open spend, if it holds all of them. */
function takes({ left }: OpenSpend, coins: readonly Coin[]): boolean {
  if (coins.some(({ denom, amount }) => (left.get(denom) ?? 0n) < amount)) return false;
  for (const { denom, amount } of coins) left.set(denom, left.get(denom)! - amount);
  return true;
}

/** Net change by address and denom: Σ coin_received − Σ coin_spent. Zero nets are in it. */
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

/** Denoms whose bank events add up to more than a table can hold: no sum of theirs may be built. */
export function oversizedDenoms(bank: Iterable<BankEvent>): Set<string> {
  const totals = new Map<string, bigint>();
  for (const { coins } of bank) {
    for (const { denom, amount } of coins) totals.set(denom, (totals.get(denom) ?? 0n) + amount);
  }
  return new Set([...totals].filter(([, total]) => total >= TOO_LARGE).map(([denom]) => denom));
}
