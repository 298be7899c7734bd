/** The language whose marks numbers and dates have. Texts are English in every language. */

export const ENGLISH = 'en-US';

const LANGUAGES = ['de', 'fr', 'es', 'it', 'ja', 'ko'];

/** Returns a language with its region if its marks are supported; otherwise American English. */
export const localeOf = (language: string): string =>
  LANGUAGES.includes(language.toLowerCase().split('-')[0]!) ? language : ENGLISH;

interface Page {
  readonly document?: object;
  readonly navigator?: { readonly language: string };
}

/** Returns the browser's language. Outside a browser, as in tests, it is English. */
function languageOf({ document, navigator }: Page): string {
  return document && navigator ? navigator.language : ENGLISH;
}

export const LOCALE = localeOf(languageOf(globalThis as Page));
