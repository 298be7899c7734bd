import { randomUUID } from 'node:crypto';
import type { Account } from '../../../schemas/types.generated.js';
import { Problem } from '../../http/problem.js';
import type { Parameters, Queries, Transactions } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

export const accountDeleted = () => new Problem('unauthorized', 'the account was deleted');

const HOUR_MS = 3_600_000;

/** Rounds a time down to the hour, because the store records times of last use only to the hour. */
export const hourOf = (now: Date): Date => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);

export async function addAccount(store: Queries, now: Date): Promise<string> {
  const id = randomUUID();
  await store.query('accounts/add', { id, now });
  return id;
}

export async function ensureNamedAccount(store: Queries, name: string, now: Date): Promise<string> {
  const [account] = await store.query<{ id: string }>('accounts/ensure-named', { id: randomUUID(), name, now });
  return account!.id;
}

export async function removeAccount(store: Transactions, account: string): Promise<void> {
  await store.transaction(async (queries) => {
    await queries.query('challenges/remove-of-account', { account });
    await queries.query('accounts/remove', { id: account });
  });
  store.lookups.clear();
}

export async function describeAccount(store: Queries, id: string): Promise<Omit<Account, 'signed_in_by' | 'scopes'>> {
  const [account] = await store.query<{ name: string | null; created_at: Date }>('accounts/find', { id });
  if (!account) throw accountDeleted();
  const identities = await store.query<Account['identities'][number]>('identities/of-account', { account: id });
  return { id, name: account.name, created_at: account.created_at.toISOString(), identities };
}

export function ensureAccount(store: Transactions, provider: string, subject: string, now: Date): Promise<string> {
  return store.transaction(async (queries) => {
    const identity = { provider, subject };
    const find = () => queries.query<{ account: string }>('identities/find', identity);
    const [known] = await find();
    if (known) return known.account;
    const id = await addAccount(queries, now);
    const added = await queries.query('identities/add', { ...identity, account: id, now });
    if (added.length > 0) return id;
    // A concurrent request has added the same identity, so the new account is deleted.
    await queries.query('accounts/remove', { id });
    return (await find())[0]!.account;
  });
}

/** Runs `change` with the account locked, so that concurrent changes of the account run one after another. */
export function withAccountLock<Result>(
  store: Transactions,
  account: string,
  change: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  return store.transaction(async (queries) => {
    await queries.query('accounts/lock', { account });
    return change(queries);
  });
}

/** Inserts a row with the account locked, so that concurrent inserts cannot exceed the limit that the query checks. */
export const insertCapped = <Row>(
  store: Transactions,
  name: string,
  values: Parameters & { readonly account: string },
) => withAccountLock(store, values.account, (queries) => queries.query<Row>(name, values));

/** A sign-in link from the operator works once, and for at most 24 hours (decision U1). */
const LINK_MS = 24 * HOUR_MS;

export async function makeLink(store: Queries, account: string, now: Date): Promise<string> {
  const token = newSecret();
  await store.query('links/add', { hash: hashOf(token), account, expires: new Date(now.getTime() + LINK_MS) });
  return token;
}

export async function redeemLink(store: Queries, token: string, now: Date): Promise<string | undefined> {
  const [link] = await store.query<{ account: string }>('links/take', { hash: hashOf(token), now });
  return link?.account;
}
