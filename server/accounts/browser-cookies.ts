/** The secrets that browsers keep for this service, as cookies (RFC 6265; decisions U1, U2). */
import { parse, type SerializeOptions, serialize } from 'cookie';

/** Secrets that a browser keeps for the service, and sends with each request. */
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
 * Reads the secrets of a request. One that is there twice is none: pages of a sibling domain can plant a second one, and which of them is
 * the browser's own cannot be told.
 * @param header the request header Cookie
 */
export function readBrowserSecrets(header: string | undefined): BrowserSecrets {
  if (header === undefined) return {};
  const cookies = parse(header);
  const only = (name: string) => (header.split(`${name}=`).length === 2 ? cookies[name] : undefined);
  return { session: only(SESSION_COOKIE), visit: only(VISIT_COOKIE) };
}

/** The Set-Cookie lines of secrets; '' takes a cookie away. */
export function browserCookies({ session, visit }: BrowserSecrets): string[] {
  return [
    ...(session === undefined ? [] : [line(SESSION_COOKIE, session, '/', SESSION_SECONDS)]),
    ...(visit === undefined ? [] : [line(VISIT_COOKIE, visit, OPENID_PATH, VISIT_SECONDS)]),
  ];
}

const line = (name: string, value: string, path: string, seconds: number) =>
  serialize(name, value, { ...FLAGS, path, maxAge: value === '' ? 0 : seconds });
