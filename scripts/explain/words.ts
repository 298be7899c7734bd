/** Text for a terminal: amounts as people read them, and texts of strangers made harmless. */
import { harmless, quoted as quotedAsJson } from '../../pipeline/json/quoted.js';
import { formatCents, formatDecimal, PRICE_DECIMALS } from '../../pipeline/ledger/amount.js';
import type { Rules } from '../../pipeline/ledger/rules.js';

/** Characters of a stranger's text that are shown. */
const SHOWN_MAX = 1000;

/** Text in quotes. @param most characters that are shown */
export const quoted = (text: string, most = SHOWN_MAX): string => harmless(quotedAsJson(text, most));

export const coins = (units: bigint, denom: string, rules: Rules): string => {
  const { decimals, symbol } = rules.denomination(denom);
  return `${formatDecimal(units, decimals)} ${symbol}`;
};

export const dollars = (cents: bigint | null): string => (cents === null ? 'unknown' : `${formatCents(cents)} USD`);
export const unitPrice = (price: bigint): string => `${formatDecimal(price, PRICE_DECIMALS)} USD`;

/** A decoded message as JSON: numbers too large for JSON as text, bytes as base64. */
export function messageJson(value: unknown): string {
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    return member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member;
  });
  return harmless(json.length > SHOWN_MAX ? `${json.slice(0, SHOWN_MAX)}…` : json);
}
