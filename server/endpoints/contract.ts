import type { ContractEndpoint } from '../api/endpoint.js';

const nodePath = (texts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent));

const common = {
  kind: 'contract',
  method: 'GET',
  policy: 'contract',
  problems: ['not_found', 'upstream_error', 'upstream_timeout'],
} as const;

const DEFAULT_LIMIT = 100;

export const contractEndpoints: readonly ContractEndpoint[] = [
  {
    ...common,
    path: '/api/v1/query',
    post: true,
    summary: 'Runs a smart query against a contract.',
    description:
      'Returns the contract’s response with all numbers unchanged. It is never older than the latest known block.',
    parameters: ['network', 'contract', 'query', 'height'],
    response: 'smart-query',
    problems: [...common.problems, 'validation_failed'],
    ask({ contract, message, height }) {
      const path = nodePath`/cosmwasm/wasm/v1/contract/${contract}/smart/${encodeMessage(message)}`;
      return { kind: 'smart', path, height, member: 'data' };
    },
  },
  {
    ...common,
    path: '/api/v1/codes',
    summary: 'Lists the codes of a network, a page at a time.',
    parameters: ['network', 'limit', 'pagination_key', 'height'],
    response: 'codes',
    ask({ limit, pageKey, height }) {
      const page = [
        ...(limit === DEFAULT_LIMIT ? [] : [`pagination.limit=${limit}`]),
        ...(pageKey === undefined ? [] : [nodePath`pagination.key=${pageKey}`]),
      ];
      const query = page.length === 0 ? '' : `?${page.join('&')}`;
      return { kind: 'codes', path: `/cosmwasm/wasm/v1/code${query}`, height, member: 'code_infos' };
    },
  },
  {
    ...common,
    path: '/api/v1/contract/{contract_address}',
    summary: 'A contract’s code, admin and label.',
    parameters: ['network', 'height'],
    response: 'contract',
    ask: ({ contract: address, height }) => ({
      kind: 'contract',
      path: nodePath`/cosmwasm/wasm/v1/contract/${address}`,
      height,
      member: 'contract_info',
    }),
  },
];

/**
 * Encodes a query as URL-safe base64, which nodes accept. The slash of ordinary base64 would split the path in some
 * gateways.
 */
function encodeMessage(message: string): string {
  return Buffer.from(message).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
