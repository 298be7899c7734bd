import type { NewSubmission } from '../../schemas/types.generated.js';
import type { ActionEndpoint } from '../endpoint.js';
import { Problem } from '../problem.js';
import { findSubmission, submit } from '../submissions/submissions.js';

const path = '/api/tax/v1/wasm/submissions';
const common = {
  kind: 'action',
  caller: 'account',
  access: 'own',
  parameters: [],
  response: 'submission',
  policy: 'tax',
} as const;

export const newSubmission = {
  ...common,
  method: 'POST',
  path,
  summary: 'Proposes a correction of a validator’s country or a contract’s label, for the operator to review.',
  body: 'submission',
  status: 201,
  idempotent: true,
  problems: ['conflict'],
  async act({ caller, body, store, reference: { chain }, now }) {
    return { json: await submit(store, body as NewSubmission, { account: caller!.account, chain, now }) };
  },
} satisfies ActionEndpoint;

export const submission = {
  ...common,
  method: 'GET',
  path: `${path}/{submission_id}`,
  summary: 'A correction that you proposed, and what became of it.',
  problems: ['not_found'],
  async act({ caller, parameters, store }) {
    const found = await findSubmission(store, caller!.account, parameters.id);
    if (!found) throw new Problem('not_found', 'you have submitted nothing with this id');
    return { json: found };
  },
} satisfies ActionEndpoint;
