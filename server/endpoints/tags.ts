import type { Endpoint } from '../endpoint.js';

const KEY_FORMS = ['<TX_HASH>', '<TX_HASH>:<denom>', 'block:<height>', 'block:<height>:<denom>'];

const USAGE =
  'Send tags as a JSON object of key and tag, in the query parameter tags of /events, /journal and /positions, ' +
  'or in the member userTags of a POST to the same path. ' +
  'A key with a denom wins over the bare hash; block:<height> names what the chain did itself in a block. ' +
  'A tag changes the treatment of the rows it fits (what is received, what is sent, never the fee) in that one answer, ' +
  'and is not stored. ' +
  'A tag that fits no row of its transaction is refused; a hash that names no row is ignored.';

export const tags = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/tags',
  summary: 'The bookkeeping tags and what each does.',
  parameters: ['chain'],
  response: 'tags',
  policy: 'tax',
  problems: [],
  handle: ({ dataset }) => ({
    json: {
      key_forms: KEY_FORMS,
      tags: dataset.reference.tags.map(({ tag, label, treatment }) => ({ tag, label, treatment })),
      usage: USAGE,
    },
  }),
} satisfies Endpoint;
