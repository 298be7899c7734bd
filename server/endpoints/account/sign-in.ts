/** Endpoints for sessions and for sign-in by wallet, by the operator's link and by OpenID. */
import type { Config } from '../../../pipeline/config.js';
import type { SignIn, WantedChallenge } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest, ServiceEndpoint } from '../../api/endpoint.js';
import { Problem, requireFound } from '../../http/problem.js';
import { FORM_POLICY, HTML_TYPE, readPage } from '../../http/web-pages.js';
import { describeAccount, ensureAccount, redeemLink } from '../../people/accounts/accounts.js';
import { SCOPES } from '../../people/accounts/keys.js';
import { OpenIdProvider } from '../../people/accounts/openid.js';
import {
  closeListedSession,
  closeOtherSessions,
  closeSession,
  closeSessions,
  listSessions,
  OPENID_PATH,
  openSession,
} from '../../people/accounts/sessions.js';
import { makeChallenge, redeemChallenge } from '../../people/accounts/wallet-sign-in.js';
import { readAddresses } from '../../tax/parameters/addresses.js';
import { invalidBody } from '../../tax/parameters/faults.js';
import { PARAMETERS } from '../../tax/parameters/parameter-schemas.js';

const HOME = '/account#signed-in';

const ofWallet = { kind: 'action', access: 'same-origin', parameters: [], policy: 'sign-in' } as const;

/** Converts the address to lower case. @throws Problem validation_failed if it is invalid */
function readAddress(address: string, { reference: { chain } }: ActionRequest): string {
  const faults: string[] = [];
  const [read] = readAddresses([address], chain.bech32_prefix, (message) => faults.push(message));
  if (read) return read;
  throw invalidBody([{ path: 'address', message: faults[0]! }]);
}

const walletEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofWallet,
    method: 'POST',
    path: '/api/account/v1/sign-in/challenge',
    summary: 'Returns a challenge for the wallet to sign: valid once, within five minutes.',
    body: 'challenge',
    response: 'challenge',
    async act(request) {
      const address = readAddress((request.body as WantedChallenge).address, request);
      const { store, config, now } = request;
      return { json: await makeChallenge(store, address, config.baseUrl, now) };
    },
  },
  {
    ...ofWallet,
    method: 'POST',
    path: '/api/account/v1/sign-in',
    summary: 'Starts a session with a challenge signed by the address’s wallet (ADR-036).',
    description: 'The first sign-in creates the account. A challenge can be tried once.',
    body: 'sign-in',
    response: 'account',
    problems: ['unauthorized'],
    async act(request) {
      const { challenge: text, pub_key: publicKey, signature, ...given } = request.body as SignIn;
      const address = readAddress(given.address, request);
      const { store, config, browser, now } = request;
      if (!(await redeemChallenge(store, { address, text, publicKey, signature }, config.baseUrl, now))) {
        throw new Problem(
          'unauthorized',
          'the challenge is unknown, used or expired, or the signature is not by this address',
        );
      }
      const account = await ensureAccount(store, 'cosmos', address, now);
      const json = { ...(await describeAccount(store, account)), signed_in_by: 'session', scopes: SCOPES };
      return { json, browser: { session: await openSession(store, account, now, browser) } };
    },
  },
  {
    ...ofWallet,
    policy: 'tax',
    method: 'POST',
    path: '/api/account/v1/sign-out',
    caller: 'session',
    summary: 'Ends the session.',
    response: 'none',
    async act({ browser, store }) {
      await closeSession(store, browser.session!);
      return { browser: { session: '' } };
    },
  },
];

const ofLink = {
  path: '/api/account/v1/link/{token}',
  access: 'same-origin',
  parameters: [],
  forPeople: true,
} as const;

const LINK_PAGE = readPage('link.html');
const TOKEN = new RegExp(PARAMETERS.token.schema.pattern!);

const linkEndpoints: readonly (ActionEndpoint | ServiceEndpoint)[] = [
  /**
   * Sends the same page for every link. Only submitting its form shows whether the link is valid. The page has its own
   * Referrer-Policy, because with `no-referrer` browsers would submit the form with `Origin: null`.
   */
  {
    ...ofLink,
    kind: 'service',
    method: 'GET',
    summary: 'Page of an operator’s sign-in link, with a button that redeems it. For people.',
    response: 'html',
    policy: 'tax',
    volatile: true,
    contentSecurityPolicy: FORM_POLICY,
    problems: ['not_found'],
    serve(_reference, { token = '' } = {}) {
      requireFound(TOKEN.test(token), 'this link was not copied whole');
      return { text: LINK_PAGE, type: HTML_TYPE };
    },
  },
  {
    ...ofLink,
    kind: 'action',
    method: 'POST',
    summary: 'Redeems an operator’s sign-in link and starts a session: once, within a day.',
    response: 'none',
    policy: 'sign-in',
    status: 303,
    problems: ['unauthorized'],
    async act({ parameters: { token }, browser, store, config, now }) {
      const account = await redeemLink(store, token, now);
      if (!account)
        throw new Problem(
          'unauthorized',
          'this link is not valid: it was already used, is older than a day, or was not copied completely',
        );
      const session = await openSession(store, account, now, browser);
      return { location: config.baseUrl + HOME, browser: { session } };
    },
  },
];

const ofProvider = {
  kind: 'action',
  access: 'same-origin',
  response: 'none',
  policy: 'sign-in',
  status: 303,
  forPeople: true,
  method: 'GET',
} as const;

function openIdEndpoints({ oidc, baseUrl }: Config): ActionEndpoint[] {
  if (!oidc) return [];
  const provider = new OpenIdProvider(oidc, `${baseUrl}${OPENID_PATH}/callback`);
  return [
    {
      ...ofProvider,
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
      ...ofProvider,
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

const SESSIONS = '/api/account/v1/sessions';
const ofSession = { kind: 'action', caller: 'session', access: 'same-origin', parameters: [], policy: 'tax' } as const;

const sessionEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofSession,
    method: 'GET',
    path: SESSIONS,
    summary: 'Where you are signed in: each browser with its last use.',
    response: 'sessions',
    act: async ({ caller, browser, store, now }) => ({
      json: { sessions: await listSessions(store, caller!.account, browser.session!, now) },
    }),
  },
  {
    ...ofSession,
    method: 'DELETE',
    path: SESSIONS,
    summary: 'Ends all sessions of the account, in every browser.',
    response: 'none',
    async act({ caller, store }) {
      await closeSessions(store, caller!.account);
      return { browser: { session: '' } };
    },
  },
  {
    ...ofSession,
    method: 'POST',
    path: `${SESSIONS}/end-others`,
    summary: 'Ends all sessions of the account except the current one.',
    response: 'none',
    async act({ caller, browser, store }) {
      await closeOtherSessions(store, caller!.account, browser.session!);
      return {};
    },
  },
  {
    ...ofSession,
    method: 'DELETE',
    path: `${SESSIONS}/{session_id}`,
    summary: 'Ends one session.',
    description: 'Takes effect at once; other servers on the same database notice within a second.',
    response: 'none',
    problems: ['not_found'],
    async act({ caller, parameters: { session_id: id }, store }) {
      requireFound(await closeListedSession(store, caller!.account, id), `you have no session ${id.slice(0, 50)}`);
      return {};
    },
  },
];

export const signInEndpoints = (config: Config): (ActionEndpoint | ServiceEndpoint)[] => [
  ...walletEndpoints,
  ...sessionEndpoints,
  ...linkEndpoints,
  ...openIdEndpoints(config),
];
