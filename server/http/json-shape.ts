/**
 * The shape of a JSON text, told by its bytes alone. To parse a megabyte that is nothing but brackets takes a quarter of a second, which
 * nobody else may wait for; to count them takes two milliseconds.
 */
import { LIMITS } from '../limits.js';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Says why a text is not parsed: it nests too deep, or has too many values. @returns undefined where it may be parsed
 * @param most levels that it may nest, and values that it may have: those of a body, when not given
 */
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

/** The place of the quote that ends a text, or the end of the bytes. */
function endOfText(text: Uint8Array, opening: number): number {
  let i = opening + 1;
  while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
  return i;
}
