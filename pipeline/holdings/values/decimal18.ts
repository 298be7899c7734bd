/**
 * Implements the chain's decimals (LegacyDec in cosmossdk.io/math). A decimal is a bigint, its value × 10^18, and is
 * never negative. Functions round like Mul, MulTruncate, Quo, QuoTruncate, QuoRoundUp and TruncateInt. `Amounts`
 * contains one amount per denom, at the index of the denom's number.
 */
import { parseDecimal } from '../../base/values/amount.js';

const PLACES = 18;
export const ONE = 10n ** 18n;
const ONE_SQUARED = ONE * ONE;
const HALF = ONE / 2n;

/** Divides by 10^18 and rounds half to even. */
function chop(value: bigint): bigint {
  const quotient = value / ONE;
  const remainder = value - quotient * ONE;
  if (remainder < HALF) return quotient;
  if (remainder > HALF) return quotient + 1n;
  return quotient % 2n === 0n ? quotient : quotient + 1n;
}

export function multiply(a: bigint, b: bigint): bigint {
  return chop(a * b);
}

export function multiplyTruncated(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** Divides like Quo: truncates at 36 places, then rounds half to even. A single rounding would give other results. */
export function divide(a: bigint, b: bigint): bigint {
  return chop((a * ONE_SQUARED) / b);
}

export function divideTruncated(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

export function divideUp(a: bigint, b: bigint): bigint {
  return (a * ONE + b - 1n) / b;
}

export function wholePart(value: bigint): bigint {
  return value / ONE;
}

export function fromWhole(value: bigint): bigint {
  return value * ONE;
}

export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function parseDecimal18(text: string): bigint {
  const point = text.length - PLACES - 1;
  if (point > 0 && text[point] === '.') return BigInt(text.slice(0, point) + text.slice(point + 1));
  return parseDecimal(text, PLACES);
}

export function formatDecimal18(value: bigint): string {
  const digits = value.toString().padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

export type Amounts = readonly bigint[];

const COMPARED_MAX = 32;

export class Denoms {
  private readonly numbers = new Map<string, number>();
  private readonly names: string[] = [];
  private order: readonly number[] | undefined;

  number(denom: string): number {
    let number = this.numbers.get(denom);
    if (number === undefined) {
      number = this.names.push(denom) - 1;
      this.numbers.set(denom, number);
      this.order = undefined;
    }
    return number;
  }

  /** Returns the number of the denom in text[from..to]. Creates no substring for frequent denoms. */
  numberAt(text: string, from: number, to: number): number {
    const compared = Math.min(this.names.length, COMPARED_MAX);
    for (let number = 0; number < compared; number++) {
      const name = this.names[number]!;
      if (name.length === to - from && text.startsWith(name, from)) return number;
    }
    return this.number(text.slice(from, to));
  }

  get size(): number {
    return this.names.length;
  }

  cut(size: number): void {
    for (const name of this.names.splice(size)) this.numbers.delete(name);
    this.order = undefined;
  }

  name(number: number): string {
    return this.names[number]!;
  }

  /** Denom numbers in the order of the names, which is the chain's order of coins. */
  sorted(): readonly number[] {
    this.order ??= [...this.names.keys()].sort((a, b) => (this.names[a]! < this.names[b]! ? -1 : 1));
    return this.order;
  }
}

function reach(sum: bigint[], denom: number): void {
  while (sum.length <= denom) sum.push(0n);
}

export function addTo(sum: bigint[], denom: number, amount: bigint): void {
  reach(sum, denom);
  sum[denom] = sum[denom] === 0n ? amount : sum[denom]! + amount;
}

export function addAll(sum: bigint[], amounts: Amounts): void {
  for (let denom = 0; denom < amounts.length; denom++) {
    const amount = amounts[denom]!;
    if (amount !== 0n) addTo(sum, denom, amount);
  }
}

export function subtractAll(sum: bigint[], amounts: Amounts): void {
  for (let denom = 0; denom < amounts.length; denom++) {
    const amount = amounts[denom]!;
    if (amount === 0n) continue;
    reach(sum, denom);
    sum[denom]! -= amount;
  }
}

const POINT = 46;
const isDigit = (code: number) => code >= 48 && code <= 57;
const isNumeric = (code: number) => isDigit(code) || code === POINT;

function endOfNumber(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  const end = at + 1 + PLACES;
  const isWhole = isDigit(text.charCodeAt(end - 1)) && !isNumeric(text.charCodeAt(end));
  if (text.charCodeAt(at) === POINT && isWhole) return end;
  while (isNumeric(text.charCodeAt(at))) at++;
  return at;
}

function eachCoin(text: string, found: (start: number, denom: number, end: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const denom = endOfNumber(text, start);
    const comma = text.indexOf(',', denom);
    const end = comma < 0 ? text.length : comma;
    if (denom === start || denom >= end) throw new RangeError(`not a list of coins: ${JSON.stringify(text)}`);
    found(start, denom, end);
    start = end + 1;
  }
}

/** Adds coins ('15uatom,…') to the balances, in base units. */
export function addCoins(balances: Map<string, bigint>, text: string, sign = 1n): void {
  eachCoin(text, (start, cut, end) => {
    const denom = text.slice(cut, end);
    const balance = (balances.get(denom) ?? 0n) + sign * BigInt(text.slice(start, cut));
    if (balance === 0n) balances.delete(denom);
    else balances.set(denom, balance);
  });
}

/** Parses '1.500000000000000000uatom,…'. Amounts are in 10^-18 base units. */
export function parseDecCoins(text: string, denoms: Denoms): bigint[] {
  const amounts: bigint[] = [];
  eachCoin(text, (start, cut, end) => {
    addTo(amounts, denoms.numberAt(text, cut, end), parseDecimal18(text.slice(start, cut)));
  });
  return amounts;
}

/** Returns the numbers of the denoms in a list of coins. */
export function denomsIn(text: string, denoms: Denoms): number[] {
  const found: number[] = [];
  eachCoin(text, (_, cut, end) => {
    found.push(denoms.numberAt(text, cut, end));
  });
  return found;
}

/**
 * Returns the coin of one denom in a list: 'uatom' in '1.5ibc/AB,2.0uatom' gives '2.0uatom'. Returns '' if the list
 * does not contain the denom.
 */
export function onlyDenom(text: string, denom: string): string {
  let only = '';
  eachCoin(text, (start, cut, end) => {
    if (text.slice(cut, end) === denom) only = text.slice(start, end);
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

/** Formats amounts of 10^-18 base units as the chain does: sorted by denom, without amounts of zero. */
export function formatDecCoins(amounts: Amounts, denoms: Denoms): string {
  return format(amounts, denoms, formatDecimal18);
}

export function formatCoins(amounts: Amounts, denoms: Denoms): string {
  return format(amounts, denoms, String);
}
