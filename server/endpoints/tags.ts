import type { Endpoint } from '../api/endpoint.js';

const KEY_FORMS = ['<TX_HASH>', '<TX_HASH>:<denom>', 'block:<height>', 'block:<height>:<denom>', '<row id>'];

const USAGE =
  'Send tags as a JSON object of key and tag, in the query parameter tags of /events, /journal, /positions and /summary, ' +
  'or in the member userTags of a POST to the same path. ' +
  'The id of a row reaches that row alone and wins over its hash, where a key with a denom wins over the bare one; ' +
  'block:<height> names what the chain did itself in a block. ' +
  'A hash does not reach rewards, commission, what was redirected, fees, slashes or burned deposits. ' +
  'A tag changes the treatment of the rows it fits (what is received, what is sent) in that one answer, and is not ' +
  'stored. A tag that fits no row that it names is refused; a key that reaches none is ignored. The member tagged of ' +
  'the answer says which rows each tag reached.';

export const tags = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/tags',
  summary: 'The bookkeeping tags and the effect of each.',
  parameters: ['chain'],
  response: 'tags',
  policy: 'tax',
  handle: ({ dataset }) => ({
    json: {
      key_forms: KEY_FORMS,
      tags: dataset.reference.tags.map(({ tag, label, treatment }) => ({ tag, label, treatment })),
      usage: USAGE,
    },
  }),
} satisfies Endpoint;
