/**
 * The model's own arithmetic by the documentation of cosmossdk.io/math: decimals as bigints × 10^18, coins as maps by denom
 * without zeros. Independent of the fold's code.
 */
export const UNIT = 10n ** 18n;

type Rounding = 'down' | 'up' | 'half to even';

function quotient(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const down = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  if (twice === 0n || rounding === 'down') return down;
  if (rounding === 'up' || twice > denominator) return down + 1n;
  return twice === denominator ? down + (down & 1n) : down;
}

export const mul = (a: bigint, b: bigint) => quotient(a * b, UNIT, 'half to even');
export const mulTruncate = (a: bigint, b: bigint) => quotient(a * b, UNIT, 'down');
/** Quo truncates to 36 decimals before it rounds to 18. */
export const quo = (a: bigint, b: bigint) => quotient(quotient(a * UNIT * UNIT, b, 'down'), UNIT, 'half to even');
export const quoTruncate = (a: bigint, b: bigint) => quotient(a * UNIT, b, 'down');
export const quoRoundUp = (a: bigint, b: bigint) => quotient(a * UNIT, b, 'up');
export const truncateInt = (a: bigint) => quotient(a, UNIT, 'down');
export const least = (a: bigint, b: bigint) => (b < a ? b : a);

export function decimalText(value: bigint): string {
  return `${value / UNIT}.${String(value % UNIT).padStart(18, '0')}`;
}

/** Amounts by denom; declarations state the unit. */
export type Coins = ReadonlyMap<string, bigint>;
export const NO_COINS: Coins = new Map();

export const coin = (denom: string, amount: bigint): Coins => new Map(amount === 0n ? [] : [[denom, amount]]);

export function plus(a: Coins, b: Coins): Coins {
  const sum = new Map(a);
  for (const [denom, amount] of b) sum.set(denom, (sum.get(denom) ?? 0n) + amount);
  return sum;
}

/** @throws Error for an amount below zero: the chain would panic */
export function minus(a: Coins, b: Coins): Coins {
  const rest = new Map(a);
  for (const [denom, amount] of b) {
    const left = (rest.get(denom) ?? 0n) - amount;
    if (left < 0n) throw new Error(`the model owes ${-left} ${denom} more than there is`);
    if (left === 0n) rest.delete(denom);
    else rest.set(denom, left);
  }
  return rest;
}

/** Changes each amount and removes zeros. */
export function each(coins: Coins, change: (amount: bigint, denom: string) => bigint): Coins {
  const changed = [...coins].map(([denom, amount]) => [denom, change(amount, denom)] as const);
  return new Map(changed.filter(([, amount]) => amount !== 0n));
}

export const whole = (decimals: Coins): Coins => each(decimals, truncateInt);
export const toDecimals = (coins: Coins): Coins => each(coins, (amount) => amount * UNIT);
export const intersect = (a: Coins, b: Coins): Coins => each(a, (amount, denom) => least(amount, b.get(denom) ?? 0n));

/** Formats coins as in events, by denom. */
export function coinsText(coins: Coins, text: (amount: bigint) => string = String): string {
  const denoms = [...coins.keys()].sort();
  return denoms.map((denom) => text(coins.get(denom)!) + denom).join(',');
}
