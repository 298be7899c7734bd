/** Accounts: keys, sessions, decisions and submissions belong to one each. */
import { randomUUID } from 'node:crypto';
import type { Account } from '../../schemas/types.generated.js';
import { Problem } from '../problem.js';
import type { Parameters, Queries, Transactions } from '../store/store.js';

/** The problem of a request whose account was deleted while it was under way. */
export const noSuchAccount = () => new Problem('unauthorized', 'the account was deleted');

/** Makes an account. @returns its id */
export async function addAccount(store: Queries, now: Date): Promise<string> {
  const id = randomUUID();
  await store.query('accounts/add', { id, now });
  return id;
}

/** Finds the account that the operator calls so; it is made when it is missing. @returns its id */
export async function ensureNamedAccount(store: Queries, name: string, now: Date): Promise<string> {
  const [account] = await store.query<{ id: string }>('accounts/ensure-named', { id: randomUUID(), name, now });
  return account!.id;
}

/** Deletes an account with all that belongs to it. */
export async function removeAccount(store: Transactions, account: string): Promise<void> {
  await store.transaction(async (queries) => {
    await queries.query('challenges/remove-of-account', { account });
    await queries.query('accounts/remove', { id: account });
  });
  store.lookups.clear();
}

/** An account as its owner sees it. @throws Problem unauthorized where it was deleted meanwhile */
export async function describeAccount(store: Queries, id: string): Promise<Omit<Account, 'signed_in_by' | 'scopes'>> {
  const [account] = await store.query<{ name: string | null; created_at: Date }>('accounts/find', { id });
  if (!account) throw noSuchAccount();
  const identities = await store.query<Account['identities'][number]>('identities/of-account', { account: id });
  return { id, name: account.name, created_at: account.created_at.toISOString(), identities };
}

/** Finds the account that signs in so; it is made when it is missing. @param provider `cosmos`, or an OpenID issuer @returns its id */
export function ensureAccount(store: Transactions, provider: string, subject: string, now: Date): Promise<string> {
  return store.transaction(async (queries) => {
    const identity = { provider, subject };
    const find = () => queries.query<{ account: string }>('identities/find', identity);
    const [known] = await find();
    if (known) return known.account;
    const id = await addAccount(queries, now);
    const added = await queries.query('identities/add', { ...identity, account: id, now });
    if (added.length > 0) return id;
    // Another request was faster; its account is there by now, and this one is not needed.
    await queries.query('accounts/remove', { id });
    return (await find())[0]!.account;
  });
}

/** Changes what belongs to an account: one change after the other, so that each sees what the one before it left. */
export function changeInTurn<Result>(
  store: Transactions,
  account: string,
  change: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  return store.transaction(async (queries) => {
    await queries.query('accounts/lock', { account });
    return change(queries);
  });
}

/** Runs a query that adds to an account what it may have so many of: two at once find no room for one. */
export const addCapped = <Row>(store: Transactions, name: string, values: Parameters & { readonly account: string }) =>
  changeInTurn(store, values.account, (queries) => queries.query<Row>(name, values));
