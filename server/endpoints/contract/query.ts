import { encodeMessage, readContract, readHeight, readMessage, readNetwork } from '../../contracts/read-query.js';
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
  ask(given) {
    const network = readNetwork(given);
    const contract = readContract(given, 'contract', network);
    const message = readMessage(given);
    const height = readHeight(given);
    if (!network || !contract) return undefined;
    const path = `/cosmwasm/wasm/v1/contract/${contract}/smart/${encodeMessage(message)}`;
    return { kind: 'smart', network, path, height, member: 'data' };
  },
} satisfies ContractEndpoint;
