import { type SerializeOptions, serialize } from 'cookie';
import { LIMITS } from '../../http/limits.js';

/** Secrets to set as cookies (decisions U1, U2). An empty string deletes the cookie. */
export interface BrowserSecrets {
  readonly session?: string | undefined;
  readonly visit?: string | undefined;
}

export const SESSION_COOKIE = '__Secure-hubledger.session-token';
const VISIT_COOKIE = '__Secure-hubledger.oidc-state';

export const OPENID_PATH = '/api/account/v1/oidc';

export const SESSION_SECONDS = 30 * 86_400;
const VISIT_SECONDS = 600;

/** `strict` would withhold the cookie when an OpenID provider redirects the browser back to us. */
const FLAGS: SerializeOptions = { secure: true, httpOnly: true, sameSite: 'lax' };

/** Returns all distinct values of a cookie, because a sibling domain can set another cookie of the same name. */
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
