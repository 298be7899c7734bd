import type { NewSubmission } from '../../schemas/types.generated.js';
import type { ActionEndpoint } from '../api/endpoint.js';
import { requireFound } from '../http/problem.js';
import { findSubmission, listSubmissions, removeSubmission, submit } from '../people/submissions/submissions.js';

const path = '/api/tax/v1/wasm/submissions';
const common = {
  kind: 'action',
  caller: 'account',
  access: 'own',
  parameters: [],
  response: 'submission',
  policy: 'tax',
} as const;

const found = <Found>(value: Found | undefined) => requireFound(value, 'you have submitted nothing with this id');

export const submissionEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    path,
    summary: 'The corrections that you proposed, with their review state.',
    response: 'submissions',
    act: async ({ caller, store }) => ({ json: { submissions: await listSubmissions(store, caller!.account) } }),
  },
  {
    ...common,
    method: 'POST',
    caller: 'tax:write',
    path,
    summary: 'Proposes a correction of a validator’s country or a contract’s label, for the operator to review.',
    body: 'submission',
    status: 201,
    idempotent: true,
    problems: ['conflict'],
    async act({ caller, body, store, reference: { chain }, now }) {
      return { json: await submit(store, body as NewSubmission, { account: caller!.account, chain, now }) };
    },
  },
  {
    ...common,
    method: 'GET',
    path: `${path}/{submission_id}`,
    summary: 'A correction that you proposed, with its review state.',
    problems: ['not_found'],
    act: async ({ caller, parameters, store }) => ({
      json: found(await findSubmission(store, caller!.account, parameters.submission_id)),
    }),
  },
  {
    ...common,
    method: 'DELETE',
    caller: 'tax:write',
    path: `${path}/{submission_id}`,
    summary: 'Withdraws a correction that you proposed, or deletes one that was reviewed.',
    description: 'What an accepted correction has added to the registry stays, without the account that proposed it.',
    response: 'none',
    problems: ['not_found'],
    async act({ caller, parameters, store }) {
      found(await removeSubmission(store, caller!.account, parameters.submission_id));
      return {};
    },
  },
];
