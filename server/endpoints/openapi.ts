import type { Config } from '../../pipeline/config.js';
import type { AnyEndpoint, PolicyName, ServiceEndpoint } from '../api/endpoint.js';
import { type Api, CONTRACT_API, TAX_API } from '../docs/apis.js';
import { openApiDocument } from '../docs/openapi.js';

/** @param routes all endpoints, including this one; the array is filled later */
const openapi = (api: Api, policy: PolicyName, config: Config, routes: readonly AnyEndpoint[]): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path: api.document,
  summary: 'This API as an OpenAPI 3.1 document.',
  parameters: [],
  response: 'openapi',
  policy,
  serve(reference) {
    const covered = routes.filter(api.covers);
    const options = { api, baseUrl: api.origin(config), limited: config.rateLimit > 0, routes: covered, reference };
    return { json: openApiDocument(options) };
  },
});

export const taxOpenapi = (config: Config, routes: readonly AnyEndpoint[]) => openapi(TAX_API, 'tax', config, routes);
export const contractOpenapi = (config: Config, routes: readonly AnyEndpoint[]) =>
  openapi(CONTRACT_API, 'contract', config, routes);
