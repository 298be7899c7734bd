/** Normalizes text for look-alike comparison, such as Cyrillic А or a zero. */
import type { Confusable } from '../../schemas/types.generated.js';

export type Fold = (text: string) => string;

/** Accents, joiners, direction marks, soft hyphens. */
const INVISIBLE = /[\p{M}\p{Cf}]/gu;

/** Creates a function that folds width, case, accents and confusable letters (data/reference/confusables.json). */
export function makeFold(confusables: readonly Confusable[]): Fold {
  const readAs = new Map(confusables.flatMap(({ looks_like, written }) => written.map((form) => [form, looks_like])));
  const groups = [...readAs].filter(([form]) => [...form].length > 1);
  const stripInvisible = (text: string) => text.replace(INVISIBLE, '');
  // Strips accents before NFKD: ICU sorts a run of accents in quadratic time.
  const normalize = (text: string) => stripInvisible(stripInvisible(text).normalize('NFKD')).toLowerCase();
  return (text) => {
    let letters = '';
    for (const letter of normalize(text)) letters += readAs.get(letter) ?? letter;
    for (const [form, letter] of groups) letters = letters.replaceAll(form, letter);
    return letters;
  };
}
