/** Decimal places of a published unit price (docs/decisions/answers.md, A1). */
export const PRICE_DECIMALS = 6;

/** Decimal places of exchange rates. The bank's rates have at most five. */
export const RATE_DECIMALS = 6;

const powers: bigint[] = [1n];

export function powerOfTen(exponent: number): bigint {
  for (let i = powers.length; i <= exponent; i++) powers.push(powers[i - 1]! * 10n);
  return powers[exponent]!;
}

/**
 * Smallest amount too large for amount columns, which are DECIMAL(38,0). Anyone can mint that many units of a token.
 */
export const TOO_LARGE = powerOfTen(38);

/** Divides and rounds half away from zero (docs/how-lots-work.md, D14). */
export function halfUp(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

/** Returns the value of a quantity in cents. `price` is micro-USD per displayed unit. */
export function valueInCents(quantity: bigint, decimals: number, price: bigint): bigint {
  return halfUp(quantity * price, powerOfTen(decimals + PRICE_DECIMALS - 2));
}

/** Formats base units: 1500000n with 6 decimals gives '1.5'. */
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

/** Formats cents: 1050n gives '10.50'. */
export const formatCents = (cents: bigint): string => formatMinor(cents, 2);

/** Formats an amount with all its decimal places: 1050n with 2 places gives '10.50', with 0 places '1050'. */
export function formatMinor(amount: bigint, places: number): string {
  if (places === 0) return amount.toString();
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(places + 1, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const PLAIN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Parses a decimal to base units: '1.5' with 6 decimals gives 1500000n.
 * @throws RangeError if the text is not a decimal, or has too many decimal places
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) throw new RangeError(`not a plain decimal: ${JSON.stringify(text)}`);
  const fraction = match[3] ?? '';
  if (/[1-9]/.test(fraction.slice(decimals))) throw new RangeError(`more than ${decimals} decimal places: ${text}`);
  const units = BigInt(match[2]! + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return match[1] ? -units : units;
}

/**
 * Parses coins as the SDK writes them: '5uatom,7ibc/AB' gives [{denom: 'uatom', amount: 5n}, …]. Omits zero amounts.
 */
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

const GO_NUMBER = /^\+?(?:0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0)$/;

/**
 * Parses an amount in a message in the same way as the chain (Int.Unmarshal of cosmossdk.io/math): '1_000', '0x3e8' and
 * '01750' all give 1000n.
 * @returns undefined if the chain rejects the text, or if the amount is negative
 */
export function parseMessageAmount(text: string): bigint | undefined {
  if (!GO_NUMBER.test(text)) return undefined;
  const digits = text.replace(/^\+|_/g, '');
  return BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
}
