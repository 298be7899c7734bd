/** Submissions: corrections that people propose, and the operator's review of them (decision A11). */
import { randomUUID } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Chain, Disclosure, NewSubmission, Submission } from '../../schemas/types.generated.js';
import { addCapped } from '../accounts/accounts.js';
import { LIMITS } from '../limits.js';
import { invalidBody } from '../parameters/faults.js';
import { type FieldError, Problem } from '../problem.js';
import { type RowOf, shownRow } from '../store/shown-row.js';
import type { Parameters, Queries, Transactions } from '../store/store.js';
import { countriesIn } from './countries.js';

const { submissions: SUBMISSIONS_MAX } = LIMITS.accounts;
/** Submissions that a list shows at the most. */
const SHOWN_MAX = 200;

type Row = RowOf<Submission>;

/** Submissions that a query gives, as answers show them. */
const found = async (store: Queries, query: string, values: Parameters): Promise<Submission[]> =>
  (await store.query<Row>(query, values)).map(shownRow<Submission>);

/** Prefix beyond the chain's own, and bytes of the address that a kind is about. */
const ADDRESSES = {
  validator_jurisdiction: { suffix: 'valoper', bytes: 20 },
  contract_label: { suffix: '', bytes: 32 },
};

/** The https URLs of a text. One with a user or password shows another host than it leads to. */
export const sourcesIn = (note: string): string[] => (note.match(/https:\/\/[^\s<>"']+/g) ?? []).filter(isSource);

function isSource(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return hostname.includes('.') && username === '' && password === '';
}

/** Requires all that a reviewer needs: a right address, a source, a country. @throws Problem validation_failed */
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
    errors.push({ path: 'note', message: 'must name an https URL where this is public' });
  if (kind === 'validator_jurisdiction' && countriesIn(note).length === 0) {
    errors.push({ path: 'note', message: 'must name the country, in English or by its ISO code' });
  }
  if (errors.length > 0) throw invalidBody(errors);
}

/** Keeps a submission for review. @throws Problem validation_failed, conflict where the account has too many that wait */
export async function submit(
  store: Transactions,
  submission: NewSubmission,
  { account, chain, now }: { account: string; chain: Chain; now: Date },
): Promise<Submission> {
  requireReviewable(submission, chain);
  const { kind, contract_address: address, note } = submission;
  const id = randomUUID();
  const [row] = await addCapped<Row>(store, 'submissions/add', {
    id,
    account,
    kind,
    address: address.toLowerCase(),
    note,
    now,
    most: SUBMISSIONS_MAX.max,
  });
  if (row) return shownRow(row);
  throw new Problem('conflict', `${SUBMISSIONS_MAX.max} of your submissions wait for a review already`);
}

/** A submission of the account. */
export const findSubmission = async (store: Queries, account: string, id: string): Promise<Submission | undefined> =>
  (await found(store, 'submissions/find', { account, id }))[0];

/** The submissions of an account, the newest first. */
export const listSubmissions = (store: Queries, account: string): Promise<Submission[]> =>
  found(store, 'submissions/of-account', { account, most: SHOWN_MAX });

/**
 * Withdraws a submission of the account, or forgets a settled one. The registry's entry that an accepted one has made stays.
 * @returns whether it was there
 */
export async function removeSubmission(store: Queries, account: string, id: string): Promise<boolean> {
  return (await store.query('submissions/remove', { account, id })).length > 0;
}

/** The submissions that wait for a review, the oldest first. */
export const reviewQueue = (store: Queries): Promise<Submission[]> =>
  found(store, 'submissions/with-status', { status: 'received' });

/** A submission that waits for a review. */
export const waitingSubmission = async (store: Queries, id: string): Promise<Submission | undefined> =>
  (await found(store, 'submissions/waiting', { id }))[0];

/**
 * Settles a submission that waits; undefined when none with that id does.
 * @param disclosure the registry's entry that it makes
 */
export async function review(
  store: Queries,
  id: string,
  status: 'accepted' | 'rejected',
  now: Date,
  disclosure: Disclosure | null = null,
): Promise<Submission | undefined> {
  return (await found(store, 'submissions/review', { id, status, now, disclosure }))[0];
}
