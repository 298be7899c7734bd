/** Decimals for quotes, prices and input of callers. Base units and cents are bigints instead (amount.ts). */
import { Decimal as Library } from 'decimal.js';

/**
 * With this many digits, the product of three inputs of 40 digits is exact. Only quotients are rounded, far below the
 * last relevant place.
 */
const PRECISION = 200;

/** A copy of the library's class, because the library's global settings (20 digits) must not change. */
export const Decimal = Library.clone({ defaults: true, precision: PRECISION, rounding: Library.ROUND_HALF_UP });
export type Decimal = Library;

/** Converts units to a decimal: 1500000n with 6 places gives 1.5. */
export const fromUnits = (units: bigint, places: number): Decimal => new Decimal(`${units}e-${places}`);

/** Converts a decimal to units, rounded half away from zero: 1.2345675 with 6 places gives 1234568n. */
export const toUnits = (value: Decimal, places: number): bigint => BigInt(value.toFixed(places).replace('.', ''));
