/** Sessions of browsers: a random token in a cookie, kept as its SHA-256, for thirty days after its last use (decision U2). */
import { DAY_MS } from '../../pipeline/ledger/day.js';
import type { Sessions } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import { madeIfWritable } from '../store/session.js';
import { type RowOf, shownRow } from '../store/shown-row.js';
import type { CachedQueries, Queries } from '../store/store.js';
import { SESSION_SECONDS } from './browser-cookies.js';
import { deviceOf } from './device.js';
import { hashOf, newSecret } from './secrets.js';

const HOUR_MS = 3_600_000;
const { sessions: SESSIONS_MAX, sessionDays: DAYS_MAX } = LIMITS.accounts;

const expiry = (now: Date) => new Date(now.getTime() + SESSION_SECONDS * 1000);

/** The browser of a session that begins. */
interface Opener {
  /** Token of the session that the browser had. */
  readonly session?: string | undefined;
  /** The request header User-Agent. */
  readonly userAgent?: string | undefined;
}

/**
 * Opens a session of an account; the oldest ends where there are too many, and so does the one that the browser had.
 * @returns the token, for the cookie
 */
export async function openSession(
  store: CachedQueries,
  account: string,
  now: Date,
  { session, userAgent }: Opener = {},
): Promise<string> {
  const token = newSecret();
  if (session !== undefined) await closeSession(store, session);
  const [others, device] = [SESSIONS_MAX.max - 1, deviceOf(userAgent)];
  await store.query('sessions/add', { hash: hashOf(token), account, device, now, expires: expiry(now), others });
  return token;
}

interface KnownSession {
  readonly account: string;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

/** The name of a session in the lookup cache. */
const nameOf = (hash: Buffer) => `session ${hash.toString('base64url')}`;

/**
 * Looks up the session of a token. Its thirty days begin anew once a day, up to half a year; undefined when it is unknown or over.
 * Its last use is kept to the hour.
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
  const isDue = session.expires_at.getTime() < expires.getTime() - DAY_MS;
  const renewed = isDue && (await madeIfWritable(store.query('sessions/renew', { hash, expires })));
  const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  const isFirstOfHour = session.last_used_at < hour;
  if (isFirstOfHour) await madeIfWritable(store.query('sessions/used', { hash, hour }));
  if (renewed || isFirstOfHour) store.lookups.forget(nameOf(hash));
  return { account: session.account, renewed };
}

/** Closes the session of a token; its cookie is worth nothing any more. */
export async function closeSession(store: CachedQueries, token: string): Promise<void> {
  const hash = hashOf(token);
  await store.query('sessions/remove', { hash });
  store.lookups.forget(nameOf(hash));
}

/** A session as its owner sees it. */
type ListedSession = Sessions['sessions'][number];

/** The sessions of an account: the one with this token first, then those that were used last. */
export async function listSessions(store: Queries, account: string, token: string, now: Date) {
  const rows = await store.query<RowOf<ListedSession>>('sessions/of-account', { account, hash: hashOf(token), now });
  return rows.map(shownRow<ListedSession>);
}

/** Closes the session of an account that its list calls so. @returns whether there was one */
export async function closeListedSession(store: CachedQueries, account: string, id: string): Promise<boolean> {
  const closed = await store.query<{ token_hash: Uint8Array }>('sessions/remove-one', { account, id });
  for (const { token_hash } of closed) store.lookups.forget(nameOf(Buffer.from(token_hash)));
  return closed.length > 0;
}

/** Closes every session of an account but the one with this token. */
export async function closeOtherSessions(store: CachedQueries, account: string, token: string): Promise<void> {
  await store.query('sessions/remove-others', { account, hash: hashOf(token) });
  store.lookups.clear();
}

/** Closes every session of an account, in whatever browser. */
export async function closeSessions(store: CachedQueries, account: string): Promise<void> {
  await store.query('sessions/remove-all', { account });
  store.lookups.clear();
}
