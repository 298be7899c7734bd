/** Calculates with exact decimals. They are passed as strings and computed as bigints in units of 10⁻¹⁸. */
import { USUAL } from '../../../pipeline/books/terms.js';

export const PLACES = 18;

/** Converts a decimal to units of 10⁻¹⁸. An empty string (unknown) counts as 0. */
export function unitsOf(text: string): bigint {
  if (text === '') return 0n;
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(PLACES, '0').slice(0, PLACES));
  return text.startsWith('-') ? -units : units;
}

/** Converts units of 10⁻¹⁸ to a decimal without exponent. @param places minimum number of decimals */
export function textOf(units: bigint, places = 0): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '').padEnd(places, '0');
  const whole = digits.slice(0, -PLACES);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export const sumOf = (texts: Iterable<string>, places = 0): string => {
  let sum = 0n;
  for (const text of texts) sum += unitsOf(text);
  return textOf(sum, places);
};

export const isZero = (text: string): boolean => unitsOf(text) === 0n;
const isNegative = (text: string): boolean => unitsOf(text) < 0n;

/** Adds thousands separators and a typographic minus sign. Does not round. */
export function grouped(text: string): string {
  const [whole = '', fraction] = text.replace('-', '').split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${isNegative(text) ? '−' : ''}${thousands}${fraction === undefined ? '' : `.${fraction}`}`;
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: USUAL.currency.code });

/**
 * Formats US dollars, rounded to cents and with a typographic minus sign. Intl formats the string itself, without
 * conversion to a number.
 */
export const dollars = (text: string): string => DOLLARS.format(text as `${number}`).replace('-', '−');

/** Pads US dollars to two decimals, for example '0.1' to '0.10'. Does not round. */
export function withCents(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/**
 * Parses a number that a user typed, with or without thousands separators. Returns undefined if it is invalid, or if a
 * comma is ambiguous, as in 30,5 or 0,500.
 */
export function typedDecimal(text: string): string | undefined {
  const amount = text.trim().replace(/^\$\s*/, '');
  if (/[\s,_]/.test(amount) && !/^[1-9]\d{0,2}(?:[\s,_]\d{3})+(?:\.\d*)?$/.test(amount)) return undefined;
  const plain = amount.replace(/[\s,_]/g, '');
  return /^\d{1,30}(?:\.\d{1,18})?$/.test(plain) ? plain : undefined;
}

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
