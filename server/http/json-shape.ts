/**
 * Limits nesting and the number of values in JSON before it is parsed. Parsing a megabyte of brackets blocks the event
 * loop for 250 ms. This check takes 2 ms.
 */
import { LIMITS } from './limits.js';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns why the text must not be parsed; undefined if it may be parsed. */
export function shapeFault(
  text: Uint8Array,
  most = { depth: LIMITS.input.depth.max, values: LIMITS.input.values.max },
): string | undefined {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case QUOTE:
        i = endOfText(text, i);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > most.depth) return `nests deeper than ${most.depth} levels`;
        values++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
        values++;
    }
    if (values > most.values) return `has more than ${most.values} values`;
  }
  return undefined;
}

function endOfText(text: Uint8Array, opening: number): number {
  let i = opening + 1;
  while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
  return i;
}
