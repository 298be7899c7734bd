import type { Endpoint } from '../endpoint.js';

export const methodology = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/methodology',
  summary: 'How a day’s reference price is made.',
  parameters: [],
  response: 'methodology',
  policy: 'tax',
  problems: [],
  handle: ({ dataset }) => ({ json: dataset.reference.methodology }),
} satisfies Endpoint;
