/** The secrets that browsers keep for this service, as cookies (RFC 6265; decisions U1, U2). */
import { type SerializeOptions, serialize } from 'cookie';
import { LIMITS } from '../limits.js';

/** Secrets that an answer gives a browser to keep; '' takes one away. */
export interface BrowserSecrets {
  /** Token of the session. */
  readonly session?: string | undefined;
  /** State of a visit to the OpenID provider. */
  readonly visit?: string | undefined;
}

export const SESSION_COOKIE = '__Secure-hubledger.session-token';
const VISIT_COOKIE = '__Secure-hubledger.oidc-state';

/** Path of the sign-in by OpenID Connect; no other request needs the state of a visit. */
export const OPENID_PATH = '/api/account/v1/oidc';

/** Seconds that a session lasts after its last use. */
export const SESSION_SECONDS = 30 * 86_400;
const VISIT_SECONDS = 600;

/** Flags of both cookies: Lax, because a browser that comes back from a provider comes from another site. */
const FLAGS: SerializeOptions = { secure: true, httpOnly: true, sameSite: 'lax' };

/**
 * Returns the different values of a cookie: pages of a sibling domain can plant further ones of its name.
 * @param header the request header Cookie
 */
function valuesOf(name: string, header = ''): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return [...new Set(values)].filter((value) => value !== '').slice(0, LIMITS.accounts.cookies.max);
}

export const readSessions = (header: string | undefined): string[] => valuesOf(SESSION_COOKIE, header);
export const readVisits = (header: string | undefined): string[] => valuesOf(VISIT_COOKIE, header);

/** The Set-Cookie lines of secrets; '' takes a cookie away. */
export function browserCookies({ session, visit }: BrowserSecrets): string[] {
  return [
    ...(session === undefined ? [] : [line(SESSION_COOKIE, session, '/', SESSION_SECONDS)]),
    ...(visit === undefined ? [] : [line(VISIT_COOKIE, visit, OPENID_PATH, VISIT_SECONDS)]),
  ];
}

const line = (name: string, value: string, path: string, seconds: number) =>
  serialize(name, value, { ...FLAGS, path, maxAge: value === '' ? 0 : seconds });
