const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Regions in Unicode CLDR that are not ISO 3166-1 countries. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** Intl replaces a withdrawn country code with its successor. */
const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => names.of(code) !== undefined && isCurrent(code) && !NO_COUNTRIES.has(code))
  .map((code) => ({ code, name: names.of(code)! }));

const CODE = /(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu;
const ENDS_IN_LETTER = /\p{L}$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** Finds countries that a text mentions by English name or ISO 3166-1 code, outside URLs. */
export function countriesIn(text: string): string[] {
  const words = text.replace(/https?:\/\/\S+/g, ' ');
  const codes = new Set(words.match(CODE));
  const lower = words.toLowerCase();
  return COUNTRIES.filter(({ code, name }) => codes.has(code) || containsWord(lower, name.toLowerCase())).map(
    ({ code }) => code,
  );
}

/** Finds whole words. Regular expressions for all countries would take long to compile. */
function containsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    // Tests two UTF-16 code units, because rare letters take two.
    const isWord =
      !ENDS_IN_LETTER.test(text.slice(Math.max(0, at - 2), at)) && !BEGINS_WITH_LETTER.test(text.slice(end, end + 2));
    if (isWord) return true;
  }
  return false;
}
