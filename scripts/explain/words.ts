import { harmless, quoted as quotedAsJson } from '../../pipeline/base/json/quoted.js';

/** Maximum length of a text that users or the chain wrote. */
export const SHOWN_MAX = 1000;

/** Quotes text and escapes control characters, because they could disturb the terminal. */
export const quoted = (text: string, max = SHOWN_MAX): string => harmless(quotedAsJson(text, max));
