/** Names of tokens in a starting state (x/bank's metadata). */
import type { JsonItem } from '../values/json-item.js';

/** Names that were given to a token: hostile text. */
export interface TokenIdentity {
  readonly denom: string;
  readonly symbol: string;
  readonly name: string;
}

/** Reads the names that app_state.bank.denom_metadata has of a token. */
export const readIdentity = (item: JsonItem): TokenIdentity => ({
  denom: item.member('base').textOr(''),
  symbol: item.member('symbol').textOr(''),
  name: item.member('name').textOr(''),
});
