import { nodePath } from '../../contracts/node-query.js';
import type { ContractEndpoint } from '../../endpoint.js';

/** Codes of a page when the caller does not say how many: the node's own default. */
const DEFAULT_LIMIT = 100;

export const codes = {
  kind: 'contract',
  method: 'GET',
  path: '/api/v1/codes',
  summary: 'Lists the codes of a network, a page at a time.',
  parameters: ['network', 'limit', 'pagination_key', 'height'],
  response: 'codes',
  policy: 'contract',
  problems: ['not_found', 'upstream_error', 'upstream_timeout'],
  ask({ limit, pageKey, height }) {
    const page = [
      ...(limit === DEFAULT_LIMIT ? [] : [`pagination.limit=${limit}`]),
      ...(pageKey === undefined ? [] : [nodePath`pagination.key=${pageKey}`]),
    ];
    const query = page.length === 0 ? '' : `?${page.join('&')}`;
    return { kind: 'codes', path: `/cosmwasm/wasm/v1/code${query}`, height, member: 'code_infos' };
  },
} satisfies ContractEndpoint;
