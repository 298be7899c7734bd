/**
 * The chain's decimals (cosmossdk.io/math LegacyDec): value × 10^18 as a bigint, never negative. The functions round like
 * Mul, MulTruncate, Quo, QuoTruncate, QuoRoundUp and TruncateInt.
 */
import { parseDecimal } from '../../base/values/amount.js';

export const PLACES = 18;
export const ONE = 10n ** 18n;
const ONE_SQUARED = ONE * ONE;
const HALF = ONE / 2n;

/** value / 10^18, rounded half to even */
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

/** Quo: truncates at 36 places, then rounds half to even. One step would give other results. */
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

/** @throws RangeError unless it is a decimal with at most 18 places */
export function parseDecimal18(text: string): bigint {
  const point = text.length - PLACES - 1;
  if (point > 0 && text[point] === '.') return BigInt(text.slice(0, point) + text.slice(point + 1));
  return parseDecimal(text, PLACES);
}

/** Formats with all 18 places, as the chain does. */
export function formatDecimal18(value: bigint): string {
  const digits = value.toString().padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
