import type { ServiceEndpoint } from '../endpoint.js';

export const healthz = {
  kind: 'service',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process is up.',
  parameters: [],
  response: 'text',
  policy: 'none',
  volatile: true,
  serve: () => ({ text: 'ok\n', type: 'text/plain; charset=utf-8' }),
} satisfies ServiceEndpoint;
