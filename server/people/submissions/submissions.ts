/** Submissions: corrections proposed by users, and their review by the operator (decision A11). */
import { randomUUID } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Chain, Disclosure, NewSubmission, Submission } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { type FieldError, Problem } from '../../http/problem.js';
import { invalidBody } from '../../tax/parameters/faults.js';
import { insertCapped } from '../accounts/accounts.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { Parameters, Queries, Transactions } from '../store/store.js';
import { countriesIn } from './countries.js';

const { submissions: SUBMISSIONS_MAX } = LIMITS.accounts;
const SHOWN_MAX = 200;

type Row = RowOf<Submission>;

const found = async (store: Queries, query: string, values: Parameters): Promise<Submission[]> =>
  (await store.query<Row>(query, values)).map(toResponse<Submission>);

/** Suffix of the address prefix, such as `valoper` in cosmosvaloper, and length of the address in bytes. */
const ADDRESSES = {
  validator_jurisdiction: { suffix: 'valoper', bytes: 20 },
  contract_label: { suffix: '', bytes: 32 },
};

/** URLs with a user or password are excluded, because they can disguise the real host. */
export const sourcesIn = (note: string): string[] => (note.match(/https:\/\/[^\s<>"']+/g) ?? []).filter(isSource);

function isSource(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return hostname.includes('.') && username === '' && password === '';
}

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

export const findSubmission = async (store: Queries, account: string, id: string): Promise<Submission | undefined> =>
  (await found(store, 'submissions/find', { account, id }))[0];

export const listSubmissions = (store: Queries, account: string): Promise<Submission[]> =>
  found(store, 'submissions/of-account', { account, max: SHOWN_MAX });

/** Deletes a submission. A registry entry that was created from it remains. */
export async function removeSubmission(store: Queries, account: string, id: string): Promise<boolean> {
  return (await store.query('submissions/remove', { account, id })).length > 0;
}

export const reviewQueue = (store: Queries): Promise<Submission[]> =>
  found(store, 'submissions/with-status', { status: 'received' });

export const waitingSubmission = async (store: Queries, id: string): Promise<Submission | undefined> =>
  (await found(store, 'submissions/waiting', { id }))[0];

export async function review(
  store: Queries,
  id: string,
  status: 'accepted' | 'rejected',
  now: Date,
  disclosure: Disclosure | null = null,
): Promise<Submission | undefined> {
  return (await found(store, 'submissions/review', { id, status, now, disclosure }))[0];
}
