import type { Currency } from './currency.js';

/** The currency of published prices. */
export const usd: Currency = { code: 'USD', words: 'US dollars', symbol: '$', minorDigits: 2 };
