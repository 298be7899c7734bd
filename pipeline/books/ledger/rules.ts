import type { Asset, Category, Tag } from '../../../schemas/types.generated.js';

export interface Denomination {
  readonly symbol: string;
  readonly decimals: number;
}

export interface Rules {
  readonly chainId: string;
  readonly nativeDenom: string;
  category(name: string): Category;
  tag(name: string): Tag | undefined;
  /** Returns symbol and decimals of a denom. The symbol of an unlisted denom is the denom itself. */
  denomination(denom: string): Denomination;
  denomOf(symbolOrDenom: string): string | undefined;
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
}

/** Matches denoms of tokenized shares (x/liquid): `<operator address>/<record id>`. */
const SHARE_DENOM = /^[a-z]+valoper1[a-z0-9]+\/\d+$/;

const DENOM_LENGTH_MAX = 128;

/**
 * Matches valid names of coins in text ledgers. With spaces at the ends, a name would mean another coin. Line breaks
 * would corrupt the ledger.
 */
const NAME = /^(?!\s)\P{Cc}+(?<!\s)$/u;

export const isName = (text: string): boolean => text.length <= DENOM_LENGTH_MAX && NAME.test(text);

export function makeRules(reference: {
  chainId: string;
  nativeDenom: string;
  categories: readonly Category[];
  tags: readonly Tag[];
  assets: readonly Asset[];
}): Rules {
  const categories = new Map(reference.categories.map((category) => [category.category, category]));
  const tags = new Map(reference.tags.map((tag) => [tag.tag, tag]));
  const assets = new Map(reference.assets.map((asset) => [asset.denom, asset]));
  const bySymbol = new Map([...reference.assets].reverse().map((asset) => [asset.symbol, asset.denom]));
  return {
    chainId: reference.chainId,
    nativeDenom: reference.nativeDenom,
    categories: reference.categories,
    tags: reference.tags,
    category(name) {
      const category = categories.get(name);
      if (!category) throw new RangeError(`no such category: ${name}`);
      return category;
    },
    tag: (name) => tags.get(name),
    denomination: (denom) => assets.get(denom) ?? { symbol: denom, decimals: SHARE_DENOM.test(denom) ? 6 : 0 },
    denomOf: (name) => (assets.has(name) ? name : bySymbol.get(name)),
  };
}
