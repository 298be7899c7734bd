/** Text as an eye reads it: strangers write ATOM with a Cyrillic А, a zero, an accent or a letter that takes no room. */
import type { Confusable } from '../../schemas/types.generated.js';

export type Fold = (text: string) => string;

/** Accents, and what takes no room: joiners, direction marks, soft hyphens. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;

/**
 * The function that folds width, case, accents and confusable letters. Punctuation stays where it is.
 * @param confusables data/reference/confusables.json
 */
export function makeFold(confusables: readonly Confusable[]): Fold {
  const readAs = new Map(confusables.flatMap(({ looks_like, written }) => written.map((form) => [form, looks_like])));
  const groups = [...readAs].filter(([form]) => [...form].length > 1);
  const seen = (text: string) => text.replace(UNSEEN, '');
  // ICU puts a run of accents in order by insertion, each before all later ones: those that are written as such leave before.
  const inPlain = (text: string) => seen(seen(text).normalize('NFKD')).toLowerCase();
  return (text) => {
    let letters = '';
    for (const letter of inPlain(text)) letters += readAs.get(letter) ?? letter;
    for (const [form, letter] of groups) letters = letters.replaceAll(form, letter);
    return letters;
  };
}
