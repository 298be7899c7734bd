import type { Config } from '../../pipeline/config.js';
import { llmsText } from '../docs/llms.js';
import type { AnyEndpoint, ServiceEndpoint } from '../endpoint.js';

/** Makes the endpoint of /llms.txt. @param routes all that is served, this one among them by the time it is asked for */
export const llms = ({ baseUrl, wasmUrl, rateLimit }: Config, routes: readonly AnyEndpoint[]): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Plain-text orientation for agents.',
  parameters: [],
  response: 'text',
  policy: 'none',
  serve: () => ({ text: llmsText({ baseUrl, wasmUrl, rateLimit, routes }), type: 'text/plain; charset=utf-8' }),
});
