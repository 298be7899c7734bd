import type { Config } from '../../pipeline/config.js';
import type { AnyEndpoint } from '../api/endpoint.js';

export interface Api {
  readonly document: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly covers: (route: AnyEndpoint) => boolean;
  readonly origin: (config: Config) => string;
}

const PROBLEMS = 'Every error is an RFC 9457 problem: branch on its `code`. Ignore members you do not know.';
const SERVICE = { name: 'service', description: 'The service itself.' };

const isOfContracts = ({ path }: AnyEndpoint) => path.startsWith('/api/v1/');

export const CONTRACT_API: Api = {
  document: '/api/v1/openapi.json',
  info: {
    title: 'hubledger contract queries',
    version: '1.0.0',
    summary: 'Smart queries, codes and contracts of CosmWasm on the Cosmos Hub and its testnet.',
    description: `Public and read-only. ${PROBLEMS}`,
  },
  tags: [{ name: 'contract', description: 'Data of contracts and nodes.' }, SERVICE],
  covers: isOfContracts,
  origin: ({ wasmUrl }) => wasmUrl,
};

export const TAX_API: Api = {
  document: '/api/tax/v1/openapi.json',
  info: {
    title: 'hubledger',
    version: '1.1.0',
    summary: 'Tax records of the Cosmos Hub: events, journal, positions, holdings and reference prices.',
    description:
      'Tax data is public and needs no credentials; a key or session is for what belongs to an account. ' +
      `Records for tax preparation, not tax advice. ${PROBLEMS}`,
  },
  tags: [
    { name: 'tax', description: 'Tax records and the reference data they follow.' },
    { name: 'account', description: 'Sign-in, sessions and keys.' },
    SERVICE,
  ],
  covers: (route) => !isOfContracts(route),
  origin: ({ baseUrl }) => baseUrl,
};
