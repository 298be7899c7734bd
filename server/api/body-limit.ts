/** Returns the maximum size of request bodies for an endpoint. Only bookkeeping endpoints need long bodies. */

import { LIMITS, type Limit } from '../http/limits.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import type { AnyEndpoint } from './endpoint.js';

export function bodyLimit(endpoint: AnyEndpoint): Limit {
  const { bookkeepingBody, queryBody, body } = LIMITS.input;
  const isBookkeeping = endpoint.kind === 'action' && endpoint.body?.startsWith('saved-');
  if (isBookkeeping || STATEMENTS.some((name) => endpoint.parameters.includes(name))) return bookkeepingBody;
  return endpoint.kind === 'contract' ? queryBody : body;
}
