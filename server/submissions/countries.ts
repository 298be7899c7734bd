/** Recognition of the countries that a text names. */

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Regions of CLDR that are no countries of ISO 3166-1. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** Tells whether a code is in use: one that was given up has the code of today as its canonical form. */
const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => names.of(code) !== undefined && isCurrent(code) && !NO_COUNTRIES.has(code))
  .map((code) => ({ code, name: names.of(code)! }));

/** A code in capitals that stands alone. */
const CODE = /(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu;
const ENDS_IN_LETTER = /\p{L}$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** ISO 3166-1 codes of the countries that a text names, in English or by their codes in capitals. URLs in it name none. */
export function countriesIn(text: string): string[] {
  const words = text.replace(/https?:\/\/\S+/g, ' ');
  const codes = new Set(words.match(CODE));
  const lower = words.toLowerCase();
  return COUNTRIES.filter(({ code, name }) => codes.has(code) || standsIn(lower, name.toLowerCase())).map(
    ({ code }) => code,
  );
}

/** Tells whether a text has a name with no letter beside it. It is sought as it is: a pattern for each name takes long to compile. */
function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    // Two units are one letter at least, also one beyond the basic plane.
    const isWord =
      !ENDS_IN_LETTER.test(text.slice(Math.max(0, at - 2), at)) && !BEGINS_WITH_LETTER.test(text.slice(end, end + 2));
    if (isWord) return true;
  }
  return false;
}
