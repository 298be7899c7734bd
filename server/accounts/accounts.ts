/** Accounts: what keys, sessions, decisions and submissions belong to. */
import { randomUUID } from 'node:crypto';
import type { Queries } from '../store/store.js';

/** The id of the account that the operator calls so; it is made when it is missing. */
export async function ensureNamedAccount(store: Queries, name: string, now: Date): Promise<string> {
  const [account] = await store.query<{ id: string }>('accounts/ensure-named', { id: randomUUID(), name, now });
  return account!.id;
}
