/**
 * Endpoints for submissions. A submission is a user's proposal to correct public data, which the operator reviews
 * (decision A11).
 */
import { randomUUID } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Chain, NewSubmission, Submission } from '../../schemas/types.generated.js';
import type { ActionEndpoint } from '../api/endpoint.js';
import { LIMITS } from '../http/limits.js';
import { type FieldError, Problem, requireFound } from '../http/problem.js';
import { insertCapped } from '../people/accounts/accounts.js';
import { type RowOf, toResponse } from '../people/store/shown-row.js';
import type { Parameters, Queries, Transactions } from '../people/store/store.js';
import { countriesIn, sourcesIn } from '../people/submissions/disclosures.js';
import { invalidBody } from '../tax/parameters/faults.js';

const { submissions: SUBMISSIONS_MAX } = LIMITS.accounts;
const SHOWN_MAX = 200;

type Row = RowOf<Submission>;

const query = async (store: Queries, name: string, values: Parameters): Promise<Submission[]> =>
  (await store.query<Row>(name, values)).map(toResponse<Submission>);

/**
 * Properties of addresses by kind: the suffix of the prefix, such as `valoper` in cosmosvaloper, and the length in
 * bytes.
 */
const ADDRESSES = {
  validator_jurisdiction: { suffix: 'valoper', bytes: 20 },
  contract_label: { suffix: '', bytes: 32 },
};

function requireReviewable({ kind, contract_address, note }: NewSubmission, { bech32_prefix }: Chain): void {
  const errors: FieldError[] = [];
  const { suffix, bytes } = ADDRESSES[kind];
  const decoded = bech32.decodeUnsafe(contract_address as `${string}1${string}`);
  const length = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (decoded?.prefix !== bech32_prefix + suffix || length !== bytes) {
    const message = `must be an address of ${bytes} bytes that begins with ${bech32_prefix}${suffix}1, with a valid checksum`;
    errors.push({ path: 'contract_address', message });
  }
  if (sourcesIn(note).length === 0)
    errors.push({ path: 'note', message: 'must contain an https URL of a public source' });
  if (kind === 'validator_jurisdiction' && countriesIn(note).length === 0) {
    errors.push({ path: 'note', message: 'must name the country, in English or by its ISO code' });
  }
  if (errors.length > 0) throw invalidBody(errors);
}

export async function submit(
  store: Transactions,
  submission: NewSubmission,
  { account, chain, now }: { account: string; chain: Chain; now: Date },
): Promise<Submission> {
  requireReviewable(submission, chain);
  const { kind, contract_address: address, note } = submission;
  const id = randomUUID();
  const [row] = await insertCapped<Row>(store, 'submissions/add', {
    id,
    account,
    kind,
    address: address.toLowerCase(),
    note,
    now,
    max: SUBMISSIONS_MAX.max,
  });
  if (row) return toResponse(row);
  throw new Problem('conflict', `${SUBMISSIONS_MAX.max} of your submissions are already waiting for review`);
}

const findSubmission = async (store: Queries, account: string, id: string): Promise<Submission | undefined> =>
  (await query(store, 'submissions/find', { account, id }))[0];

const listSubmissions = (store: Queries, account: string): Promise<Submission[]> =>
  query(store, 'submissions/of-account', { account, max: SHOWN_MAX });

/** Deletes a submission. If it was accepted, its entry in the registry remains. */
async function removeSubmission(store: Queries, account: string, id: string): Promise<boolean> {
  return (await store.query('submissions/remove', { account, id })).length > 0;
}

const path = '/api/tax/v1/wasm/submissions';
const common = {
  kind: 'action',
  caller: 'account',
  access: 'same-origin',
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
