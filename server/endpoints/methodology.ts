import type { Endpoint } from '../api/endpoint.js';

export const methodology = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/methodology',
  summary: 'How a day’s reference price is computed.',
  description:
    'Also lists manual corrections of holdings, for changes on the chain that no rule explains: ' +
    'each with its height, the changes and a source; and totals that did not match in the starting state.',
  parameters: [],
  response: 'methodology',
  policy: 'tax',
  handle({ dataset: { reference, manifest } }) {
    const { corrections, starting_differences } = manifest;
    return { json: { ...reference.methodology, corrections: corrections?.list ?? [], starting_differences } };
  },
} satisfies Endpoint;
