/** The reviewed data that a replay follows, looked up by name. Built once from data/reference; pure. */
import type { Asset, Category, Tag } from '../../schemas/types.generated.js';

/** The presentation of a denom. A symbol is a label; the denom is the identity. */
export interface Denomination {
  readonly symbol: string;
  readonly decimals: number;
}

export interface Rules {
  /** Id of the chain in requests and answers, such as cosmoshub. */
  readonly chainId: string;
  readonly nativeDenom: string;
  /** @throws RangeError for a name that is not in data/reference/categories.json */
  category(name: string): Category;
  tag(name: string): Tag | undefined;
  /** A denom of no registry is its own symbol and shown in base units. */
  denomination(denom: string): Denomination;
  /** The denom that a registry symbol or a denom names, or undefined. */
  denomOf(symbolOrDenom: string): string | undefined;
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
}

/** Tokenized shares (x/liquid): `<operator address>/<record id>`, shown with the six places of the staked coin. */
const SHARE_DENOM = /^[a-z]+valoper1[a-z0-9]+\/\d+$/;

/** Characters of a denom at the most (SDK types/coin.go); no symbol of the registry is as long. */
const DENOM_LENGTH_MAX = 128;

/** A line of text without blanks around it: `ATOM ` would be another coin than ATOM, and a line end would end that of a ledger. */
const NAME = /^(?!\s)\P{Cc}+(?<!\s)$/u;

/** Tells whether a text may be a symbol or a denom. Each row of an answer may say it, so that its length counts. */
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
