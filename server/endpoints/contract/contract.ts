import { readContract, readHeight, readNetwork } from '../../contracts/read-query.js';
import type { ContractEndpoint } from '../../endpoint.js';

export const contract = {
  kind: 'contract',
  method: 'GET',
  path: '/api/v1/contract/{contract_address}',
  summary: 'A contract’s code, admin and label.',
  parameters: ['contract_address', 'network', 'height'],
  response: 'contract',
  policy: 'contract',
  problems: ['not_found', 'upstream_error', 'upstream_timeout'],
  ask(given) {
    const network = readNetwork(given);
    const address = readContract(given, 'contract_address', network);
    const height = readHeight(given);
    if (!network || !address) return undefined;
    return {
      kind: 'contract',
      network,
      path: `/cosmwasm/wasm/v1/contract/${address}`,
      height,
      member: 'contract_info',
    };
  },
} satisfies ContractEndpoint;
