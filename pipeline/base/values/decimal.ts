/** Decimals for quotes, prices and caller input. Base units and cents are bigints (amount.ts). */
import { Decimal as Library } from 'decimal.js';

/** Multiplies three inputs of 40 digits exactly. Only quotients are rounded, far below the last relevant place. */
const PRECISION = 200;

/** A clone leaves the library's global settings (20 digits) unchanged. */
export const Decimal = Library.clone({ defaults: true, precision: PRECISION, rounding: Library.ROUND_HALF_UP });
export type Decimal = Library;

/** 1500000n at 6 places → 1.5. */
export const fromUnits = (units: bigint, places: number): Decimal => new Decimal(`${units}e-${places}`);

/** Rounds half away from zero (policy A): 1.2345675 at 6 places → 1234568n. */
export const toUnits = (value: Decimal, places: number): bigint => BigInt(value.toFixed(places).replace('.', ''));
