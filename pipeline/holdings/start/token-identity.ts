/** Names of tokens in a starting state (x/bank's metadata), and where vouchers come from (ibc-go's transfer module). */
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

/** Reads an element of app_state.transfer.denoms: port and channel of each hop, then the denom on the first chain. */
export function readVoucherTrace(item: JsonItem): string {
  const hops = item.member('trace').list();
  const parts = hops.flatMap((hop) => [hop.member('port_id').text(), hop.member('channel_id').text()]);
  return [...parts, item.member('base').text()].join('/');
}
