/** The endpoints of the contract API. */
import type { ContractEndpoint } from '../../endpoint.js';
import { codes } from './codes.js';
import { contract } from './contract.js';
import { query } from './query.js';

export const contractEndpoints: readonly ContractEndpoint[] = [query, codes, contract];
