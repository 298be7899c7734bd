import type { Asset, Confusable, Spam } from '../../schemas/types.generated.js';

export class LookAlikes {
  private readonly byName = new Map<string, Asset>();

  constructor(
    assets: readonly Asset[],
    private readonly fold: Fold,
  ) {
    for (const asset of [...assets].reverse()) {
      for (const name of namesOf(asset)) this.byName.set(this.read(name), asset);
    }
  }

  find(name: string): Asset | undefined {
    return this.byName.get(this.read(name));
  }

  /** Returns a name without punctuation, so that `$ATOM` and `A.T.O.M` match ATOM. */
  private read(name: string): string {
    return this.fold(name.replace(/^\$+/, '')).replace(/[^\p{L}\p{N}]/gu, '');
  }
}

/** Returns the names of an asset, including its usual base denom, such as `uosmo` for OSMO. */
function namesOf({ denom, symbol, name, trace }: Asset): string[] {
  return [symbol, name, `u${symbol}`, lastPart(trace ?? denom)];
}

export const lastPart = (denom: string) => denom.slice(denom.lastIndexOf('/') + 1);

type Fold = (text: string) => string;

const INVISIBLE = /[\p{M}\p{Cf}]/gu;

/** Creates a function that normalizes width, case, accents and look-alike letters (data/reference/confusables.json). */
export function makeFold(confusables: readonly Confusable[]): Fold {
  const readAs = new Map(confusables.flatMap(({ looks_like, written }) => written.map((form) => [form, looks_like])));
  const groups = [...readAs].filter(([form]) => [...form].length > 1);
  const stripInvisible = (text: string) => text.replace(INVISIBLE, '');
  // Strips accents first, because NFKD takes quadratic time for long runs of accents.
  const normalize = (text: string) => stripInvisible(stripInvisible(text).normalize('NFKD')).toLowerCase();
  return (text) => {
    let letters = '';
    for (const letter of normalize(text)) letters += readAs.get(letter) ?? letter;
    for (const [form, letter] of groups) letters = letters.replaceAll(form, letter);
    return letters;
  };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const MEMOS_MAX = 10_000;

/** Creates a check whether a memo contains a link or a call to claim (data/reference/spam.json). */
export function memoCalls({ links, top_level_domains, calls }: Spam, fold: Fold): (memo: string) => boolean {
  const oneOf = (words: readonly string[]) => words.map((word) => escaped(fold(word))).join('|');
  const pattern = [
    oneOf(links),
    `[\\p{L}\\p{N}]\\.(?:${oneOf(top_level_domains)})(?![\\p{L}\\p{N}])`,
    `(?<![\\p{L}\\p{N}])(?:${oneOf(calls)})(?![\\p{L}\\p{N}])`,
  ].join('|');
  const call = new RegExp(pattern, 'u');
  const known = new Map<string, boolean>(); // caches results, because the same memo is sent to many wallets
  return (memo) => {
    const found = known.get(memo) ?? call.test(fold(memo));
    if (known.size >= MEMOS_MAX) known.clear();
    known.set(memo, found);
    return found;
  };
}
