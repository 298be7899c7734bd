import type { Config } from '../../../pipeline/config.js';
import type { ActionEndpoint } from '../../api/endpoint.js';
import { Problem } from '../../http/problem.js';
import { ensureAccount } from '../../people/accounts/accounts.js';
import { OPENID_PATH } from '../../people/accounts/browser-cookies.js';
import { OpenIdProvider } from '../../people/accounts/openid.js';
import { openSession } from '../../people/accounts/sessions.js';
import { HOME } from './link.js';

const common = {
  kind: 'action',
  access: 'own',
  response: 'none',
  policy: 'sign-in',
  status: 303,
  forPeople: true,
  method: 'GET',
} as const;

/** Returns no endpoints if no OpenID provider is configured. */
export function openIdEndpoints({ oidc, baseUrl }: Config): ActionEndpoint[] {
  if (!oidc) return [];
  const provider = new OpenIdProvider(oidc, `${baseUrl}${OPENID_PATH}/callback`);
  return [
    {
      ...common,
      path: `${OPENID_PATH}/start`,
      parameters: [],
      summary: 'Redirects to the OpenID provider to sign in.',
      problems: ['upstream_error', 'upstream_timeout'],
      async act({ store, now }) {
        const { location, state } = await provider.begin(store, now);
        return { location, browser: { visit: state } };
      },
    },
    {
      ...common,
      path: `${OPENID_PATH}/callback`,
      parameters: ['code', 'state', 'iss', 'error'],
      summary: 'Redirect target of the OpenID provider: starts a session.',
      problems: ['unauthorized', 'upstream_error', 'upstream_timeout'],
      async act({ query, parameters: { state }, browser, store, now }) {
        if (!browser.visits.includes(state)) {
          throw new Problem('unauthorized', 'this browser has no sign-in at the provider in progress: start again');
        }
        const { issuer, subject } = await provider.finish(store, query, state, now);
        const account = await ensureAccount(store, issuer, subject, now);
        return {
          location: baseUrl + HOME,
          browser: { session: await openSession(store, account, now, browser), visit: '' },
        };
      },
    },
  ];
}
