/**
 * Endpoints for sessions and for sign-in by wallet, by the operator's link and by OpenID. A wallet proves its address
 * by signing a challenge (decisions U1, U7; EIP-4361, CAIP-122).
 */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { base64, bech32 } from '@scure/base';
import * as client from 'openid-client';
import type { Config, OpenIdSettings } from '../../../pipeline/config.js';
import type { Challenge, SignIn, WantedChallenge } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest, ServiceEndpoint } from '../../api/endpoint.js';
import { Problem, requireFound } from '../../http/problem.js';
import { FORM_POLICY, HTML_TYPE, readPage } from '../../http/web-pages.js';
import { describeAccount, ensureAccount, redeemLink } from '../../people/accounts/accounts.js';
import { SCOPES } from '../../people/accounts/keys.js';
import { hashOf, newSecret } from '../../people/accounts/secrets.js';
import {
  closeListedSession,
  closeOtherSessions,
  closeSession,
  closeSessions,
  listSessions,
  OPENID_PATH,
  openSession,
} from '../../people/accounts/sessions.js';
import type { Queries } from '../../people/store/store.js';
import { readAddresses } from '../../tax/parameters/addresses.js';
import { invalidBody } from '../../tax/parameters/faults.js';
import { PARAMETERS } from '../../tax/parameters/parameter-schemas.js';

const HOME = '/account#signed-in';

const CHALLENGE_MS = 5 * 60_000;

const opening = (baseUrl: string) => `${new URL(baseUrl).host} wants you to sign in with your Cosmos account:`;

export async function makeChallenge(store: Queries, address: string, baseUrl: string, now: Date): Promise<Challenge> {
  const expires = new Date(now.getTime() + CHALLENGE_MS);
  const challenge = [
    opening(baseUrl),
    address,
    '',
    'This signature proves that the account is yours. It moves no coins and costs nothing.',
    '',
    `URI: ${baseUrl}`,
    'Version: 1',
    `Nonce: ${newSecret()}`,
    `Issued At: ${now.toISOString()}`,
    `Expiration Time: ${expires.toISOString()}`,
  ].join('\n');
  await store.query('challenges/add', { hash: hashOf(challenge), address, expires });
  return { challenge, expires_at: expires.toISOString() };
}

/**
 * Checks a signed challenge. Each challenge is accepted only once.
 * @returns true if the address signed the challenge before it expired
 */
export async function redeemChallenge(
  store: Queries,
  signed: SignedText,
  baseUrl: string,
  now: Date,
): Promise<boolean> {
  if (!signed.text.startsWith(`${opening(baseUrl)}\n`)) return false;
  const [known] = await store.query<{ address: string }>('challenges/take', { hash: hashOf(signed.text), now });
  return known?.address === signed.address && isSigned(signed);
}

interface SignedText {
  readonly address: string;
  readonly text: string;
  readonly publicKey: string;
  readonly signature: string;
}

/** Verifies a text that a wallet has signed (ADR-036). Like the chain, refuses signatures with a high s value. */
export function isSigned({ address, text, publicKey, signature }: SignedText): boolean {
  try {
    const key = base64.decode(publicKey);
    if (addressOf(key, address) !== address) return false;
    return secp256k1.verify(base64.decode(signature), Buffer.from(signDocument(address, text)), key);
  } catch {
    return false; // the base64 is invalid, or the key is not a point on the curve
  }
}

function addressOf(key: Uint8Array, like: string): string {
  const prefix = like.slice(0, like.lastIndexOf('1'));
  return bech32.encode(prefix, bech32.toWords(ripemd160(createHash('sha256').update(key).digest())));
}

/** Builds the amino JSON that wallets sign (ADR-036). No chain can execute its only message. */
export function signDocument(signer: string, text: string): string {
  const data = Buffer.from(text).toString('base64');
  return JSON.stringify({
    account_number: '0',
    chain_id: '',
    fee: { amount: [], gas: '0' },
    memo: '',
    msgs: [{ type: 'sign/MsgSignData', value: { data, signer } }],
    sequence: '0',
  });
}

const ofWallet = { kind: 'action', access: 'own', parameters: [], policy: 'sign-in' } as const;

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

const ofLink = { path: '/api/account/v1/link/{token}', access: 'own', parameters: [], forPeople: true } as const;

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

const VISIT_MS = 10 * 60_000;
const PROVIDER_TIMEOUT_SECONDS = 5;

interface Visit {
  readonly location: string;
  readonly state: string;
}

interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * OpenID sign-in: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). A cookie also
 * contains the state. So only the browser that started a sign-in can finish it.
 */
class OpenIdProvider {
  private discovered: Promise<client.Configuration> | undefined;

  constructor(
    private readonly settings: OpenIdSettings,
    private readonly redirectUri: string,
  ) {}

  async begin(store: Queries, now: Date): Promise<Visit> {
    const provider = await this.provider();
    const [state, nonce, codeVerifier] = [newSecret(), newSecret(), client.randomPKCECodeVerifier()];
    const expires = new Date(now.getTime() + VISIT_MS);
    await store.query('visits/add', { hash: hashOf(state), codeVerifier, nonce, expires });
    const location = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.redirectUri,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, state };
  }

  async finish(store: Queries, query: string, state: string, now: Date): Promise<Subject> {
    const [visit] = await store.query<{ verifier: string; nonce: string }>('visits/take', { hash: hashOf(state), now });
    if (!visit) throw new Problem('unauthorized', 'no sign-in at the provider is in progress: start again');
    const provider = await this.provider();
    const tokens = await toProblem(
      client.authorizationCodeGrant(provider, new URL(`${this.redirectUri}?${query}`), {
        pkceCodeVerifier: visit.verifier,
        expectedState: state,
        expectedNonce: visit.nonce,
        idTokenExpected: true,
      }),
    );
    const { iss: issuer, sub: subject } = tokens.claims()!;
    return { issuer, subject };
  }

  private provider(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    this.discovered ??= toProblem(
      client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: PROVIDER_TIMEOUT_SECONDS,
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      }),
    ).catch((error) => {
      this.discovered = undefined;
      throw error;
    });
    return this.discovered;
  }
}

/** Converts the provider's errors to problems. Leaves out the error messages, because they may contain secrets. */
async function toProblem<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
      throw new Problem('unauthorized', `the provider refused: ${error.error}`);
    }
    if ((error as { code?: string }).code === 'OAUTH_TIMEOUT') {
      throw new Problem('upstream_timeout', 'the OpenID provider did not answer in time');
    }
    throw new Problem('upstream_error', 'the OpenID provider cannot be reached or sent an invalid answer');
  }
}

const ofProvider = {
  kind: 'action',
  access: 'own',
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
const ofSession = { kind: 'action', caller: 'session', access: 'own', parameters: [], policy: 'tax' } as const;

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
