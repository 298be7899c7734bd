/**
 * Exact money. A quantity is a bigint of a denom's base units, a USD value a bigint of cents, a price a bigint of
 * micro-USD for one displayed unit. No function here takes or gives a JavaScript number as money.
 */

/** Decimal places of a published unit price (decision A1): prices are bigints of 10^-6 USD. */
export const PRICE_DECIMALS = 6;

const powers: bigint[] = [1n];

/** 10^exponent as a bigint. */
export function powerOfTen(exponent: number): bigint {
  for (let i = powers.length; i <= exponent; i++) powers.push(powers[i - 1]! * 10n);
  return powers[exponent]!;
}

/** Amounts from here on fit no column of the tables (DECIMAL(38,0)); a stranger can mint such a token. */
export const TOO_LARGE = powerOfTen(38);

/** numerator / denominator rounded half away from zero (policy A). The denominator must not be zero. */
export function halfUp(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

/**
 * Values a quantity in cents, half-up: quantity × price.
 * @param quantity base units of a denom with `decimals` places
 * @param price micro-USD for one displayed unit
 */
export function valueInCents(quantity: bigint, decimals: number, price: bigint): bigint {
  return halfUp(quantity * price, powerOfTen(decimals + PRICE_DECIMALS - 2));
}

/**
 * The worth of one displayed unit when all of it is worth so much, in micro-USD, half-up: value / quantity.
 * @param value cents
 * @param quantity base units of a denom with `decimals` places, not zero
 */
export function unitPrice(value: bigint, quantity: bigint, decimals: number): bigint {
  return halfUp(value * powerOfTen(decimals + PRICE_DECIMALS - 2), quantity);
}

/** 1500000n at 6 places → '1.5': a plain decimal, no exponent, no trailing zeros, never '-0'. */
export function formatDecimal(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  let end = digits.length;
  while (end > cut && digits.charCodeAt(end - 1) === 48) end--;
  const text = end > cut ? `${digits.slice(0, cut)}.${digits.slice(cut, end)}` : digits.slice(0, cut);
  return negative ? `-${text}` : text;
}

/** 1050n → '10.50': US dollars always show two places. */
export function formatCents(cents: bigint): string {
  const negative = cents < 0n;
  const digits = (negative ? -cents : cents).toString().padStart(3, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const PLAIN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * '1.5' at 6 places → 1500000n.
 * @throws RangeError when the text is no plain decimal or has significant digits beyond `decimals` places
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) throw new RangeError(`not a plain decimal: ${JSON.stringify(text)}`);
  const fraction = match[3] ?? '';
  if (/[1-9]/.test(fraction.slice(decimals))) throw new RangeError(`more than ${decimals} decimal places: ${text}`);
  const units = BigInt(match[2]! + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return match[1] ? -units : units;
}

/** A coin as the chain writes it: '5uatom,7ibc/AB' → [{denom: 'uatom', amount: 5n}, …]; zero coins and '' give none. */
export function parseCoins(text: string): { denom: string; amount: bigint }[] {
  if (text === '') return [];
  const coins: { denom: string; amount: bigint }[] = [];
  for (const part of text.split(',')) {
    const match = /^(\d+)([a-zA-Z].*)$/.exec(part);
    if (!match) throw new RangeError(`not a coin: ${JSON.stringify(part)}`);
    const amount = BigInt(match[1]!);
    if (amount > 0n) coins.push({ denom: match[2]!, amount });
  }
  return coins;
}

/** A whole number as Go writes one in a program: decimal, or of base 2, 8 (also by a mere 0 before it) or 16, with underscores between. */
const GO_NUMBER = /^\+?(?:0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0)$/;

/**
 * Reads an amount of a message as the chain does (cosmossdk.io/math Int.Unmarshal), which takes more than its own events ever say:
 * '1_000', '0x3e8' and '01750' are 1000n.
 * @returns undefined where the chain refuses the text, and for an amount below zero
 */
export function parseMessageAmount(text: string): bigint | undefined {
  if (!GO_NUMBER.test(text)) return undefined;
  const digits = text.replace(/^\+|_/g, '');
  return BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
}
