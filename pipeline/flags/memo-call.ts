import type { Spam } from '../../schemas/types.generated.js';
import type { Fold } from './fold.js';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Creates a check for a link or a call to claim in a memo (data/reference/spam.json). */
export function memoCalls({ links, top_level_domains, calls }: Spam, fold: Fold): (memo: string) => boolean {
  const oneOf = (words: readonly string[]) => words.map((word) => escaped(fold(word))).join('|');
  const pattern = [
    oneOf(links),
    `[\\p{L}\\p{N}]\\.(?:${oneOf(top_level_domains)})(?![\\p{L}\\p{N}])`,
    `(?<![\\p{L}\\p{N}])(?:${oneOf(calls)})(?![\\p{L}\\p{N}])`,
  ].join('|');
  const call = new RegExp(pattern, 'u');
  return (memo) => call.test(fold(memo));
}
