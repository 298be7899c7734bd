import type { Currency } from './currency.js';
import { usd } from './usd.js';

/** Code, words, symbol and minor digits by ISO 4217, which are two where nothing is written. A new currency is one line. */
const LISTED: readonly (readonly [code: string, words: string, symbol?: string, minorDigits?: number])[] = [
  ['EUR', 'euros', '€'],
  ['AUD', 'Australian dollars', 'A$'],
  ['BGN', 'Bulgarian leva'],
  ['BRL', 'Brazilian reais', 'R$'],
  ['CAD', 'Canadian dollars', 'CA$'],
  ['CHF', 'Swiss francs'],
  ['CNY', 'Chinese yuan', 'CN¥'],
  ['CZK', 'Czech korunas'],
  ['DKK', 'Danish kroner'],
  ['GBP', 'British pounds', '£'],
  ['HKD', 'Hong Kong dollars', 'HK$'],
  ['HUF', 'Hungarian forints'],
  ['IDR', 'Indonesian rupiahs'],
  ['ILS', 'Israeli new shekels', '₪'],
  ['INR', 'Indian rupees', '₹'],
  ['ISK', 'Icelandic krónur', 'ISK', 0],
  ['JPY', 'Japanese yen', '¥', 0],
  ['KRW', 'South Korean won', '₩', 0],
  ['MXN', 'Mexican pesos', 'MX$'],
  ['MYR', 'Malaysian ringgits'],
  ['NOK', 'Norwegian kroner'],
  ['NZD', 'New Zealand dollars', 'NZ$'],
  ['PHP', 'Philippine pesos', '₱'],
  ['PLN', 'Polish zlotys'],
  ['RON', 'Romanian lei'],
  ['SEK', 'Swedish kronor'],
  ['SGD', 'Singapore dollars'],
  ['THB', 'Thai baht'],
  ['TRY', 'Turkish liras'],
  ['ZAR', 'South African rand'],
];

const CURRENCIES = new Map<string, Currency>([
  [usd.code, usd],
  ...LISTED.map(
    ([code, words, symbol = code, minorDigits = 2]) => [code, { code, words, symbol, minorDigits }] as const,
  ),
]);

/**
 * Returns a currency by its ISO 4217 code. A code that is not listed has two decimals and no other name, because the
 * bank may begin to give a rate at any time.
 */
export const currencyOf = (code: string): Currency =>
  CURRENCIES.get(code) ?? { code, words: code, symbol: code, minorDigits: 2 };
