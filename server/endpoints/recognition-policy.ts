import type { Endpoint } from '../api/endpoint.js';

export const recognitionPolicy = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/recognition-policy',
  summary: 'When a reward counts as income.',
  parameters: [],
  response: 'recognition-policy',
  policy: 'tax',
  handle: ({ dataset }) => ({ json: dataset.reference.recognitionPolicy }),
} satisfies Endpoint;
