/** Sessions of browsers: a random token in a cookie, kept as its SHA-256, for thirty days after its last use (decision U2). */
import type { CachedQueries, Queries } from '../store/store.js';
import { SESSION_SECONDS } from './browser-cookies.js';
import { hashOf, newSecret } from './secrets.js';

const DAY_MS = 86_400_000;

const expiry = (now: Date) => new Date(now.getTime() + SESSION_SECONDS * 1000);

/** Opens a session of an account. @returns the token, for the cookie */
export async function openSession(store: Queries, account: string, now: Date): Promise<string> {
  const token = newSecret();
  await store.query('sessions/add', { hash: hashOf(token), account, now, expires: expiry(now) });
  return token;
}

interface KnownSession {
  readonly account: string;
  readonly expires_at: Date;
}

/** The name of a session in the lookup cache. */
const nameOf = (hash: Buffer) => `session ${hash.toString('base64url')}`;

/**
 * Looks up the session of a token. Its thirty days begin anew once a day; undefined when it is unknown or over.
 * @returns account, and whether the cookie should be sent again
 */
export async function checkSession(
  store: CachedQueries,
  token: string,
  now: Date,
): Promise<{ account: string; renewed: boolean } | undefined> {
  const hash = hashOf(token);
  const session = await store.lookups.find(
    nameOf(hash),
    () => store.query<KnownSession>('sessions/find', { hash, now }),
    (one) => one !== undefined && one.expires_at > now,
  );
  if (!session) return undefined;
  const renewed = session.expires_at.getTime() < expiry(now).getTime() - DAY_MS;
  if (renewed) {
    await store.query('sessions/renew', { hash, expires: expiry(now) });
    store.lookups.forget(nameOf(hash));
  }
  return { account: session.account, renewed };
}

/** Closes the session of a token; its cookie is worth nothing any more. */
export async function closeSession(store: CachedQueries, token: string): Promise<void> {
  const hash = hashOf(token);
  await store.query('sessions/remove', { hash });
  store.lookups.forget(nameOf(hash));
}
