import type { Config } from '../../pipeline/config.js';
import type { Route, ServiceEndpoint } from '../endpoint.js';
import { openApiDocument } from '../openapi.js';

/** @param routes all that is served, this one among them by the time it is asked for */
export const openapi = ({ baseUrl, rateLimit }: Config, routes: readonly Route[]): ServiceEndpoint => ({
  method: 'GET',
  path: '/api/tax/v1/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document.',
  parameters: [],
  response: 'openapi',
  policy: 'tax',
  problems: [],
  serve: () => ({ json: openApiDocument({ baseUrl, limited: rateLimit > 0, routes }) }),
});
