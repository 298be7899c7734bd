/**
 * Decimals for market quotes, prices and what callers write: exact until they are rounded, once, to whole units. Base units and cents
 * stay bigints (amount.ts).
 */
import { Decimal as Library } from 'decimal.js';

/**
 * Significant digits of a result. A figure of the chain or of a market has 40 digits at most, and no more than three are multiplied:
 * nothing is rounded on the way but a quotient, and that far behind the last place that counts.
 */
const PRECISION = 200;

/** The constructor with this program's settings; that of the library, with 20 digits, is left as it is. */
export const Decimal = Library.clone({ defaults: true, precision: PRECISION, rounding: Library.ROUND_HALF_UP });
export type Decimal = Library;

/** 1500000n at 6 places → 1.5. */
export const fromUnits = (units: bigint, places: number): Decimal => new Decimal(`${units}e-${places}`);

/** 1.2345675 at 6 places → 1234568n: rounded half away from zero (policy A). */
export const toUnits = (value: Decimal, places: number): bigint => BigInt(value.toFixed(places).replace('.', ''));
