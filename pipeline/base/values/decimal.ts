/** Decimals for quotes, prices and input of callers. Base units and cents are bigints (amount.ts). */
import { Decimal as Library } from 'decimal.js';

/**
 * Digits that suffice to multiply three inputs of 40 digits exactly. Only quotients are rounded, far below the last
 * relevant place.
 */
const PRECISION = 200;

/** A clone, because the library's global settings (20 digits) must not change. */
export const Decimal = Library.clone({ defaults: true, precision: PRECISION, rounding: Library.ROUND_HALF_UP });
export type Decimal = Library;

/** Example: 1500000n with 6 places gives 1.5. */
export const fromUnits = (units: bigint, places: number): Decimal => new Decimal(`${units}e-${places}`);

/** Rounds half away from zero: 1.2345675 with 6 places gives 1234568n. */
export const toUnits = (value: Decimal, places: number): bigint => BigInt(value.toFixed(places).replace('.', ''));
