import { nodePath } from '../../contracts/node-query.js';
import type { ContractEndpoint } from '../../endpoint.js';

export const query = {
  kind: 'contract',
  method: 'GET',
  path: '/api/v1/query',
  post: true,
  summary: 'Runs a smart query against a contract.',
  description:
    'The answer is the contract’s own, number by number. It is never older than the latest block that is known.',
  parameters: ['network', 'contract', 'query', 'height'],
  response: 'smart-query',
  policy: 'contract',
  problems: ['not_found', 'validation_failed', 'upstream_error', 'upstream_timeout'],
  ask({ contract, message, height }) {
    const path = nodePath`/cosmwasm/wasm/v1/contract/${contract}/smart/${encodeMessage(message)}`;
    return { kind: 'smart', path, height, member: 'data' };
  },
} satisfies ContractEndpoint;

/**
 * Encodes the message as base64 in a path segment that every gateway takes: those that decode paths before they match them would see
 * a slash in the usual alphabet, and all understand the URL-safe one where the usual one does not fit.
 */
function encodeMessage(message: string): string {
  return Buffer.from(message).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
