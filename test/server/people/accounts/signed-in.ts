/** Callers with an account, as tests need them. */

import type { Scope } from '../../../../schemas/types.generated.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { createKey } from '../../../../server/people/accounts/keys.js';
import { openSession, SESSION_COOKIE } from '../../../../server/people/accounts/sessions.js';
import type { TestServer } from '../../harness.js';

/** The time of tests that give no other, as the harness has it. */
export const NOW = new Date('2026-06-01T00:00:00Z');

/** The origin of the service's own pages, as the harness has it. */
export const OWN_ORIGIN = 'https://tax.example';

/** Headers of a browser that has signed in to the account of that name, on a page of the service. */
export async function signedIn({ store }: TestServer, name = 'alice', now = NOW): Promise<Record<string, string>> {
  const token = await openSession(store, await ensureNamedAccount(store, name, now), now);
  return { cookie: `theme=dark; ${SESSION_COOKIE}=${token}`, origin: OWN_ORIGIN };
}

/** Headers of a program that sends a key with these scopes. */
export async function withKey({ store }: Pick<TestServer, 'store'>, scopes: Scope[], name = 'alice', expires?: Date) {
  const account = await ensureNamedAccount(store, name, NOW);
  const { key } = await createKey(store, { account, name: 'test', scopes, expires }, NOW);
  return { authorization: `Bearer ${key}` };
}

/** Options of a request that posts JSON. */
export const posting = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
