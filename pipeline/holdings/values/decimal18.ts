/**
 * The chain's decimals (cosmossdk.io/math LegacyDec): value × 10^18 as a bigint. Each function rounds as the one of that
 * name does; all values here are zero or above.
 */
import { parseDecimal } from '../../ledger/amount.js';

export const PLACES = 18;
export const ONE = 10n ** 18n;
const ONE_SQUARED = ONE * ONE;
const HALF = ONE / 2n;

/** value / 10^18, the remainder rounded half to even. */
function chop(value: bigint): bigint {
  const quotient = value / ONE;
  const remainder = value - quotient * ONE;
  if (remainder < HALF) return quotient;
  if (remainder > HALF) return quotient + 1n;
  return quotient % 2n === 0n ? quotient : quotient + 1n;
}

/** Mul: half to even. */
export function multiply(a: bigint, b: bigint): bigint {
  return chop(a * b);
}

/** MulTruncate: down. */
export function multiplyTruncated(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** Quo: 36 decimals cut off, then half to even; two steps, which is not the same as one. */
export function divide(a: bigint, b: bigint): bigint {
  return chop((a * ONE_SQUARED) / b);
}

/** QuoTruncate: down. */
export function divideTruncated(a: bigint, b: bigint): bigint {
  return (a * ONE) / b;
}

/** QuoRoundUp: up. */
export function divideUp(a: bigint, b: bigint): bigint {
  return (a * ONE + b - 1n) / b;
}

/** TruncateInt: the whole part, as a plain integer. */
export function wholePart(value: bigint): bigint {
  return value / ONE;
}

/** A plain integer as a decimal. */
export function fromWhole(value: bigint): bigint {
  return value * ONE;
}

/** The smaller of two bigints, which Math.min does not take. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** '1.500000000000000000' → 1.5 × 10^18. @throws RangeError when the text is no decimal of at most 18 places */
export function parseDecimal18(text: string): bigint {
  const point = text.length - PLACES - 1;
  if (point > 0 && text[point] === '.') return BigInt(text.slice(0, point) + text.slice(point + 1));
  return parseDecimal(text, PLACES);
}

/** Writes a decimal with all its 18 places, as the chain does. */
export function formatDecimal18(value: bigint): string {
  const digits = value.toString().padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
