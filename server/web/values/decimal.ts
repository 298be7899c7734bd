/** Calculates with exact decimals. They are passed as strings and computed as bigints in units of 10⁻¹⁸. */
import { USUAL } from '../../../pipeline/books/terms.js';
import { ENGLISH, LOCALE } from './language.js';

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

/** Formats and reads amounts with the marks of a language. */
export function amountsIn(locale: string) {
  const wholes = new Intl.NumberFormat(locale);
  const mark = wholes.formatToParts(1.5).find(({ type }) => type === 'decimal')!.value;
  const formats = new Map<string, Intl.NumberFormat>();
  const formatOf = (currency: string) => {
    const format = formats.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
    formats.set(currency, format);
    return format;
  };
  const usesComma = mark === ',';
  /** Adds thousands separators and a typographic minus sign. Does not round, and leaves '' empty. */
  const grouped = (text: string): string => {
    const [whole = '', fraction] = text.replace('-', '').split('.');
    const thousands = whole === '' ? '' : wholes.format(BigInt(whole));
    return `${isNegative(text) ? '−' : ''}${thousands}${fraction === undefined ? '' : mark + fraction}`;
  };
  /**
   * Formats an amount, rounded to the minor unit and with a typographic minus sign. Intl formats the string itself,
   * without conversion to a number.
   * @param currency ISO 4217
   */
  const money = (text: string, currency: string): string =>
    formatOf(currency)
      .format(text as `${number}`)
      .replace('-', '−');
  return {
    usesComma,
    money,
    grouped,
    /** Leaves amounts of lists and paper as the API writes them, unless the language has other marks. */
    listed: (text: string): string => (locale === ENGLISH ? text : grouped(text)),
    dollars: (text: string): string => money(text, USUAL.currency.code),
    /**
     * Parses a number that a user typed, with or without thousands separators. Returns undefined if it is invalid or
     * ambiguous, as 30,5 in English and 1.234 in languages with a decimal comma.
     */
    typedDecimal: (text: string): string | undefined => (usesComma ? decimalInEither(text) : decimalWithPoint(text)),
    /**
     * Formats an amount for an input, with a point. In languages with a decimal comma, 1.234 would be ambiguous, so a
     * zero follows it.
     */
    forInput: (text: string): string => (usesComma && AMBIGUOUS.test(text) ? `${text}0` : text),
  };
}

/** Matches a number that is 1.234 in one language and 1234 in another one. */
const AMBIGUOUS = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** Matches a number with a decimal comma, perhaps with points or blanks between thousands. */
const WITH_COMMA = /^(?:\d+|[1-9]\d{0,2}([.\s])\d{3}(?:\1\d{3})*)(?:,\d+)?$/;

/** Parses a number with a decimal comma or point. Returns undefined if both readings are possible. */
function decimalInEither(text: string): string | undefined {
  const amount = text.replace(/^\s*\$|\$\s*$/, '').trim();
  if (AMBIGUOUS.test(amount)) return undefined;
  return decimalWithPoint(WITH_COMMA.test(amount) ? amount.replace(/[.\s]/g, '').replace(',', '.') : amount);
}

function decimalWithPoint(text: string): string | undefined {
  const amount = text.trim().replace(/^\$\s*/, '');
  if (/[\s,_]/.test(amount) && !/^[1-9]\d{0,2}(?:[\s,_]\d{3})+(?:\.\d*)?$/.test(amount)) return undefined;
  const plain = amount.replace(/[\s,_]/g, '');
  return /^\d{1,30}(?:\.\d{1,18})?$/.test(plain) ? plain : undefined;
}

export const { grouped, listed, money, dollars, typedDecimal, forInput, usesComma } = amountsIn(LOCALE);

/** Returns the error of an amount with two readings in a language with a decimal comma; undefined for other amounts. */
export const ambiguityFault = (text: string): string | undefined =>
  usesComma && AMBIGUOUS.test(text.trim()) ? 'Two readings: write for example 1234 or 1,2340' : undefined;

/** Returns the error of a typed amount; undefined if it is valid. */
export function amountFault(text: string): string | undefined {
  if (typedDecimal(text) !== undefined) return undefined;
  return ambiguityFault(text) ?? `A plain amount such as ${usesComma ? '12,50 or ' : ''}12.50`;
}

/** Pads US dollars to two decimals, for example '0.1' to '0.10'. Does not round. */
export function withCents(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString(LOCALE)} ${noun}${count === 1 ? '' : 's'}`;
