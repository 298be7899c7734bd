import { readHeight, readNetwork, readWhole } from '../../contracts/read-query.js';
import type { ContractEndpoint } from '../../endpoint.js';

/** Codes of a page; the usual number is also the node's own. */
const LIMIT = { usual: 100, most: 1000 };

export const codes = {
  kind: 'contract',
  method: 'GET',
  path: '/api/v1/codes',
  summary: 'Lists the codes of a network, a page at a time.',
  parameters: ['network', 'limit', 'pagination_key', 'height'],
  response: 'codes',
  policy: 'contract',
  problems: ['not_found', 'upstream_error', 'upstream_timeout'],
  ask(given) {
    const network = readNetwork(given);
    const limit = readWhole(given, 'limit', LIMIT.most) ?? LIMIT.usual;
    const key = given.reading.text('pagination_key');
    const height = readHeight(given);
    if (key !== undefined && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(key)) {
      given.reading.fault('pagination_key', 'must be the next_key of a page');
    }
    if (!network) return undefined;
    const page = [
      ...(limit === LIMIT.usual ? [] : [`pagination.limit=${limit}`]),
      ...(key === undefined ? [] : [`pagination.key=${encodeURIComponent(key)}`]),
    ];
    const query = page.length === 0 ? '' : `?${page.join('&')}`;
    return { kind: 'codes', network, path: `/cosmwasm/wasm/v1/code${query}`, height, member: 'code_infos' };
  },
} satisfies ContractEndpoint;
