const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** CLDR regions that are not ISO 3166-1 countries. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** Withdrawn codes have another canonical form. */
const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => names.of(code) !== undefined && isCurrent(code) && !NO_COUNTRIES.has(code))
  .map((code) => ({ code, name: names.of(code)! }));

/** Two capitals between non-letters. */
const CODE = /(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu;
const ENDS_IN_LETTER = /\p{L}$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** Returns ISO 3166-1 codes of countries that a text names in English or by code. URLs are ignored. */
export function countriesIn(text: string): string[] {
  const words = text.replace(/https?:\/\/\S+/g, ' ');
  const codes = new Set(words.match(CODE));
  const lower = words.toLowerCase();
  return COUNTRIES.filter(({ code, name }) => codes.has(code) || containsWord(lower, name.toLowerCase())).map(
    ({ code }) => code,
  );
}

/** Searches a whole word. A regular expression for each country takes long to compile. */
function containsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    // A letter outside the basic plane has two UTF-16 units.
    const isWord =
      !ENDS_IN_LETTER.test(text.slice(Math.max(0, at - 2), at)) && !BEGINS_WITH_LETTER.test(text.slice(end, end + 2));
    if (isWord) return true;
  }
  return false;
}
