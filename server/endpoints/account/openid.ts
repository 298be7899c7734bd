import type { Config } from '../../../pipeline/config.js';
import { ensureAccount } from '../../accounts/accounts.js';
import { OpenIdProvider } from '../../accounts/openid.js';
import { openSession, sessionCookie } from '../../accounts/sessions.js';
import type { ActionEndpoint } from '../../endpoint.js';
import { Problem } from '../../problem.js';
import { HOME } from './sign-in.js';

const FOLDER = '/api/account/v1/oidc';
const STATE_COOKIE = '__Secure-hubledger.oidc-state';
/** Lax, because the browser comes back from another site. */
const FLAGS = `Path=${FOLDER}; Secure; HttpOnly; SameSite=Lax`;

const common = { access: 'own', response: 'none', policy: 'tax', status: 303, method: 'GET' } as const;

/** Only where a provider is configured. */
export function openIdEndpoints({ oidc, baseUrl }: Config): ActionEndpoint[] {
  if (!oidc) return [];
  const provider = new OpenIdProvider(oidc, `${baseUrl}${FOLDER}/callback`);
  const start: ActionEndpoint = {
    ...common,
    path: `${FOLDER}/start`,
    parameters: [],
    summary: 'Leads to the OpenID provider to sign in there.',
    problems: ['upstream_error', 'upstream_timeout'],
    async act({ store, now }) {
      const { location, state } = await provider.begin(store, now);
      return { location, cookies: [`${STATE_COOKIE}=${state}; Max-Age=600; ${FLAGS}`] };
    },
  };
  const callback: ActionEndpoint = {
    ...common,
    path: `${FOLDER}/callback`,
    parameters: ['code', 'state', 'iss', 'error'],
    summary: 'Where the OpenID provider sends browsers back to: begins a session.',
    problems: ['unauthorized', 'upstream_error', 'upstream_timeout'],
    async act({ query, parameters: { state }, cookies, store, now }) {
      if (state === '' || state !== cookies.get(STATE_COOKIE)) {
        throw new Problem('unauthorized', 'this browser has no visit to the provider under way: begin again');
      }
      const { issuer, subject } = await provider.finish(store, query, state, now);
      const account = await ensureAccount(store, issuer, subject, now);
      const session = sessionCookie(await openSession(store, account, now));
      return { location: baseUrl + HOME, cookies: [session, `${STATE_COOKIE}=; Max-Age=0; ${FLAGS}`] };
    },
  };
  return [start, callback];
}
