/** Decimals as texts: figures of the API are added and compared as whole numbers of their last place, and shown digit by digit. */

const PLACES = 18;

/** A decimal in units of its eighteenth place; an empty text, which stands for an unknown figure, counts as nothing. */
export function unitsOf(text: string): bigint {
  if (text === '') return 0n;
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(PLACES, '0').slice(0, PLACES));
  return text.startsWith('-') ? -units : units;
}

/** Writes units of the eighteenth place as a plain decimal. @param places digits behind the point at the least */
export function textOf(units: bigint, places = 0): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '').padEnd(places, '0');
  const whole = digits.slice(0, -PLACES);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Adds decimals. @param places digits behind the point at the least: 2 for US dollars */
export const sumOf = (texts: Iterable<string>, places = 0): string => {
  let sum = 0n;
  for (const text of texts) sum += unitsOf(text);
  return textOf(sum, places);
};

export const isZero = (text: string): boolean => unitsOf(text) === 0n;
export const isNegative = (text: string): boolean => unitsOf(text) < 0n;
export const difference = (after: string, before: string): string => textOf(unitsOf(after) - unitsOf(before), 2);

/** Puts commas between thousands and a true minus sign in front; no digit changes. */
export function grouped(text: string): string {
  const [whole = '', fraction] = text.replace('-', '').split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${isNegative(text) ? '−' : ''}${thousands}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** US dollars with both cents: '0.1' → '0.10'; no digit that stands there changes. */
export function withCents(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/**
 * A plain decimal as people type it, with spaces or commas between thousands; undefined where it is none. Elsewhere they are
 * doubtful, as in 30,5 or 0,500, and never passed over.
 */
export function typedDecimal(text: string): string | undefined {
  const amount = text.trim().replace(/^\$\s*/, '');
  if (/[\s,_]/.test(amount) && !/^[1-9]\d{0,2}(?:[\s,_]\d{3})+(?:\.\d*)?$/.test(amount)) return undefined;
  const plain = amount.replace(/[\s,_]/g, '');
  return /^\d{1,30}(?:\.\d{1,18})?$/.test(plain) ? plain : undefined;
}
