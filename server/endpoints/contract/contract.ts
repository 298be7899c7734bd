import { nodePath } from '../../contracts/node-query.js';
import type { ContractEndpoint } from '../../endpoint.js';

export const contract = {
  kind: 'contract',
  method: 'GET',
  path: '/api/v1/contract/{contract_address}',
  summary: 'A contract’s code, admin and label.',
  parameters: ['network', 'height'],
  response: 'contract',
  policy: 'contract',
  problems: ['not_found', 'upstream_error', 'upstream_timeout'],
  ask: ({ contract: address, height }) => ({
    kind: 'contract',
    path: nodePath`/cosmwasm/wasm/v1/contract/${address}`,
    height,
    member: 'contract_info',
  }),
} satisfies ContractEndpoint;
