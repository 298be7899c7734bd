import { harmless, quoted as quotedAsJson } from '../../pipeline/base/json/quoted.js';

/** Maximum length of a printed text that comes from users or the chain. */
export const SHOWN_MAX = 1000;

/** Quotes a text and escapes control characters, which could manipulate the terminal. */
export const quoted = (text: string, max = SHOWN_MAX): string => harmless(quotedAsJson(text, max));
