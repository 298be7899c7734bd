/**
 * Browser sessions and their cookies. A session is a random token. It expires 30 days after the last use (decision U2).
 */
import Bowser from 'bowser';
import { type SerializeOptions, serialize } from 'cookie';
import { DAY_MS } from '../../../pipeline/base/values/day.js';
import type { Sessions } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { skipIfReadOnly } from '../store/session.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { CachedQueries, Queries } from '../store/store.js';
import { hourOf } from './accounts.js';
import { hashOf, newSecret } from './secrets.js';

/** Values for the cookies (decisions U1, U2). An empty string deletes a cookie. */
export interface BrowserSecrets {
  readonly session?: string | undefined;
  readonly visit?: string | undefined;
}

export const SESSION_COOKIE = '__Secure-hubledger.session-token';
const VISIT_COOKIE = '__Secure-hubledger.oidc-state';

export const OPENID_PATH = '/api/account/v1/oidc';

const SESSION_SECONDS = 30 * 86_400;
const VISIT_SECONDS = 600;

/** With `strict`, the browser would not send the cookie when an OpenID provider redirects it back to this server. */
const FLAGS: SerializeOptions = { secure: true, httpOnly: true, sameSite: 'lax' };

/**
 * Returns all distinct values of a cookie. There may be several, because a sibling domain can set another cookie of the
 * same name.
 */
function valuesOf(name: string, header = ''): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return [...new Set(values)].filter((value) => value !== '').slice(0, LIMITS.accounts.cookies.max);
}

export const readSessions = (header: string | undefined): string[] => valuesOf(SESSION_COOKIE, header);
export const readVisits = (header: string | undefined): string[] => valuesOf(VISIT_COOKIE, header);

export function browserCookies({ session, visit }: BrowserSecrets): string[] {
  return [
    ...(session === undefined ? [] : [line(SESSION_COOKIE, session, '/', SESSION_SECONDS)]),
    ...(visit === undefined ? [] : [line(VISIT_COOKIE, visit, OPENID_PATH, VISIT_SECONDS)]),
  ];
}

const line = (name: string, value: string, path: string, seconds: number) =>
  serialize(name, value, { ...FLAGS, path, maxAge: value === '' ? 0 : seconds });

const { sessions: SESSIONS_MAX, sessionDays: DAYS_MAX } = LIMITS.accounts;

const expiry = (now: Date) => new Date(now.getTime() + SESSION_SECONDS * 1000);

interface Opener {
  readonly session?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Opens a session. Closes the browser's previous session, and the account's oldest sessions if there are more than the
 * limit.
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

const cacheKey = (hash: Buffer) => `session ${hash.toString('base64url')}`;

/**
 * Finds the session of a token. Extends it at most once a day, until half a year after sign-in.
 * @returns undefined if the session is unknown or expired; `renewed` is true if the cookie must be sent again
 */
export async function checkSession(
  store: CachedQueries,
  token: string,
  now: Date,
): Promise<{ account: string; renewed: boolean } | undefined> {
  const hash = hashOf(token);
  const session = await store.lookups.find(
    cacheKey(hash),
    () => store.query<KnownSession>('sessions/find', { hash, now }),
    (one) => one !== undefined && one.expires_at > now,
  );
  if (!session) return undefined;
  const last = session.created_at.getTime() + DAYS_MAX.max * DAY_MS;
  const expires = new Date(Math.min(expiry(now).getTime(), last));
  const isDue = session.expires_at.getTime() < expires.getTime() - DAY_MS;
  const renewed = isDue && (await skipIfReadOnly(store.query('sessions/renew', { hash, expires })));
  const hour = hourOf(now);
  const isFirstOfHour = session.last_used_at < hour;
  if (isFirstOfHour) await skipIfReadOnly(store.query('sessions/used', { hash, hour }));
  if (renewed || isFirstOfHour) store.lookups.forget(cacheKey(hash));
  return { account: session.account, renewed };
}

export async function closeSession(store: CachedQueries, token: string): Promise<void> {
  const hash = hashOf(token);
  await store.query('sessions/remove', { hash });
  store.lookups.forget(cacheKey(hash));
}

type ListedSession = Sessions['sessions'][number];

export async function listSessions(store: Queries, account: string, token: string, now: Date) {
  const rows = await store.query<RowOf<ListedSession>>('sessions/of-account', { account, hash: hashOf(token), now });
  return rows.map(toResponse<ListedSession>);
}

export async function closeListedSession(store: CachedQueries, account: string, id: string): Promise<boolean> {
  const closed = await store.query<{ token_hash: Uint8Array }>('sessions/remove-one', { account, id });
  for (const { token_hash } of closed) store.lookups.forget(cacheKey(Buffer.from(token_hash)));
  return closed.length > 0;
}

export async function closeOtherSessions(store: CachedQueries, account: string, token: string): Promise<void> {
  await store.query('sessions/remove-others', { account, hash: hashOf(token) });
  store.lookups.clear();
}

export async function closeSessions(store: CachedQueries, account: string): Promise<void> {
  await store.query('sessions/remove-all', { account });
  store.lookups.clear();
}

const USER_AGENT_MAX = 300;
const WORDS_MAX = 60;

/** Names a browser, for example `Firefox on Linux`; null if the browser is unknown. */
function deviceOf(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, USER_AGENT_MAX));
  if (!browser.name) return null;
  return (os.name ? `${browser.name} on ${os.name}` : browser.name).slice(0, WORDS_MAX);
}
