/** Sessions of browsers: a random token in a cookie, kept as its SHA-256, for thirty days after its last use (decision U2). */
import { LIMITS } from '../limits.js';
import type { CachedQueries } from '../store/store.js';
import { SESSION_SECONDS } from './browser-cookies.js';
import { hashOf, newSecret } from './secrets.js';

const DAY_MS = 86_400_000;
const { sessions: SESSIONS_MAX, sessionDays: DAYS_MAX } = LIMITS.accounts;

const expiry = (now: Date) => new Date(now.getTime() + SESSION_SECONDS * 1000);

/**
 * Opens a session of an account; the oldest ends where there are too many, and so does the one that the browser had.
 * @returns the token, for the cookie
 */
export async function openSession(store: CachedQueries, account: string, now: Date, before?: string): Promise<string> {
  const token = newSecret();
  if (before !== undefined) await closeSession(store, before);
  const others = SESSIONS_MAX.max - 1;
  await store.query('sessions/add', { hash: hashOf(token), account, now, expires: expiry(now), others });
  return token;
}

interface KnownSession {
  readonly account: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** The name of a session in the lookup cache. */
const nameOf = (hash: Buffer) => `session ${hash.toString('base64url')}`;

/**
 * Looks up the session of a token. Its thirty days begin anew once a day, up to half a year; undefined when it is unknown or over.
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
  const last = session.created_at.getTime() + DAYS_MAX.max * DAY_MS;
  const expires = new Date(Math.min(expiry(now).getTime(), last));
  const renewed = session.expires_at.getTime() < expires.getTime() - DAY_MS;
  if (renewed) {
    await store.query('sessions/renew', { hash, expires });
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

/** Closes every session of an account, in whatever browser. */
export async function closeSessions(store: CachedQueries, account: string): Promise<void> {
  await store.query('sessions/remove-all', { account });
  store.lookups.clear();
}
