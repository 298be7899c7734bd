/** Text of users and of the chain for a terminal. */
import { harmless, quoted as quotedAsJson } from '../../pipeline/base/json/quoted.js';

/** Maximum characters of a foreign text. */
export const SHOWN_MAX = 1000;

/** Quotes a text and escapes control characters. */
export const quoted = (text: string, max = SHOWN_MAX): string => harmless(quotedAsJson(text, max));
