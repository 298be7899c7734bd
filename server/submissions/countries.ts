/** Recognition of the countries that a text names. */

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Regions of CLDR that are no countries of ISO 3166-1. */
const NO_COUNTRIES = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'XK',
  'ZZ',
]);

/** Tells whether a code is in use: one that was given up has the code of today as its canonical form. */
const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => names.of(code) !== undefined && isCurrent(code) && !NO_COUNTRIES.has(code))
  .map((code) => ({ code, name: names.of(code)! }));

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** ISO 3166-1 codes of the countries that a text names, in English or by their codes in capitals. URLs in it name none. */
export function countriesIn(text: string): string[] {
  const words = text.replace(/https?:\/\/\S+/g, ' ');
  return COUNTRIES.filter(
    ({ code, name }) =>
      new RegExp(`(?<![\\p{L}\\p{N}])${code}(?![\\p{L}\\p{N}])`, 'u').test(words) ||
      new RegExp(`(?<!\\p{L})${escaped(name)}(?!\\p{L})`, 'iu').test(words),
  ).map(({ code }) => code);
}
