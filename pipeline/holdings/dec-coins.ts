/**
 * Amounts of several denoms: arrays of bigints by denom number, a missing element is zero. What a bigint counts (base
 * units, or 10^-18 of them) is said where an array is declared.
 */
import { formatDecimal18, parseDecimal18 } from './decimal18.js';

export type Amounts = readonly bigint[];

/** Numbers denoms in the order in which they are first seen. */
export class Denoms {
  private readonly numbers = new Map<string, number>();
  private readonly names: string[] = [];
  private order: readonly number[] = [];

  number(denom: string): number {
    let number = this.numbers.get(denom);
    if (number === undefined) {
      number = this.names.push(denom) - 1;
      this.numbers.set(denom, number);
      this.order = [...this.names.keys()].sort((a, b) => (this.names[a]! < this.names[b]! ? -1 : 1));
    }
    return number;
  }

  name(number: number): string {
    return this.names[number]!;
  }

  /** Denom numbers in the order of their names, which is the chain's order of coins. */
  sorted(): readonly number[] {
    return this.order;
  }
}

/** Adds to one denom of a sum. */
export function addTo(sum: bigint[], denom: number, amount: bigint): void {
  while (sum.length <= denom) sum.push(0n);
  // An amount that is the first stays the same bigint, so that many sums can share it.
  sum[denom] = sum[denom] === 0n ? amount : sum[denom]! + amount;
}

/** Adds to all denoms of a sum. */
export function addAll(sum: bigint[], amounts: Amounts): void {
  for (let denom = 0; denom < amounts.length; denom++) {
    const amount = amounts[denom]!;
    if (amount !== 0n) addTo(sum, denom, amount);
  }
}

/** Takes from all denoms of a sum. */
export function subtractAll(sum: bigint[], amounts: Amounts): void {
  for (let denom = 0; denom < amounts.length; denom++) {
    const amount = amounts[denom]!;
    if (amount !== 0n) addTo(sum, denom, -amount);
  }
}

const isNumeric = (code: number) => (code >= 48 && code <= 57) || code === 46;

/** Calls back for each coin of a chain's list: '1.5uatom,7ibc/AB' → ('1.5', 'uatom'), ('7', 'ibc/AB'). */
function eachCoin(text: string, found: (amount: string, denom: string) => void): void {
  for (let start = 0; start < text.length; ) {
    const comma = text.indexOf(',', start);
    const end = comma < 0 ? text.length : comma;
    let cut = start;
    while (cut < end && isNumeric(text.charCodeAt(cut))) cut++;
    if (cut === start || cut === end) throw new RangeError(`not a list of coins: ${JSON.stringify(text)}`);
    found(text.slice(start, cut), text.slice(cut, end));
    start = end + 1;
  }
}

/** Adds a list of whole coins ('15uatom,…') to balances in base units, by denom. */
export function addCoins(balances: Map<string, bigint>, text: string, sign = 1n): void {
  eachCoin(text, (amount, denom) => {
    const balance = (balances.get(denom) ?? 0n) + sign * BigInt(amount);
    if (balance === 0n) balances.delete(denom);
    else balances.set(denom, balance);
  });
}

/** Decimal coins ('1.500000000000000000uatom,…') as amounts in 10^-18 base units; '' gives none. */
export function parseDecCoins(text: string, denoms: Denoms): bigint[] {
  const amounts: bigint[] = [];
  eachCoin(text, (amount, denom) => addTo(amounts, denoms.number(denom), parseDecimal18(amount)));
  return amounts;
}

/** One denom of a list, as it stands there: '1.5ibc/AB,2.0uatom' → '2.0uatom'; '' where it is not in it. */
export function onlyDenom(text: string, denom: string): string {
  let only = '';
  eachCoin(text, (amount, name) => {
    if (name === denom) only = amount + name;
  });
  return only;
}

function format(amounts: Amounts, denoms: Denoms, text: (amount: bigint) => string): string {
  let list = '';
  for (const denom of denoms.sorted()) {
    const amount = amounts[denom];
    if (amount) list += `${list && ','}${text(amount)}${denoms.name(denom)}`;
  }
  return list;
}

/** Amounts in 10^-18 base units as the chain lists decimal coins: by denom, without zeros. */
export function formatDecCoins(amounts: Amounts, denoms: Denoms): string {
  return format(amounts, denoms, formatDecimal18);
}

/** Amounts in base units as the chain lists coins: by denom, without zeros. */
export function formatCoins(amounts: Amounts, denoms: Denoms): string {
  return format(amounts, denoms, String);
}
