import type { Endpoint } from '../endpoint.js';

export const methodology = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/methodology',
  summary: 'How a day’s reference price is made.',
  description:
    'With the corrections of holdings that the operator made by hand, for what the chain changed and no rule explains: ' +
    'each with its height, the changes and where they can be checked; and the sums that did not hold in the starting state.',
  parameters: [],
  response: 'methodology',
  policy: 'tax',
  handle({ dataset: { reference, manifest } }) {
    const { corrections, starting_differences } = manifest;
    return { json: { ...reference.methodology, corrections: corrections?.list ?? [], starting_differences } };
  },
} satisfies Endpoint;
