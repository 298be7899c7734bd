import type { SignIn, WantedChallenge } from '../../../schemas/types.generated.js';
import { describeAccount, ensureAccount } from '../../accounts/accounts.js';
import { makeChallenge, redeemChallenge } from '../../accounts/challenges.js';
import { SCOPES } from '../../accounts/keys.js';
import { redeemLink } from '../../accounts/links.js';
import { closeSession, openSession } from '../../accounts/sessions.js';
import type { ActionEndpoint, ActionRequest, ServiceEndpoint } from '../../endpoint.js';
import { FORM_POLICY, HTML_TYPE, readPage } from '../../http/web-pages.js';
import { invalidBody } from '../../parameters/faults.js';
import { readAddresses } from '../../parameters/parameters.js';
import { Problem } from '../../problem.js';

const common = { kind: 'action', access: 'own', parameters: [], policy: 'sign-in' } as const;

/** Path that a browser goes to when it is signed in. */
export const HOME = '/account#signed-in';

/** Reads the wallet's address as the chain writes it. @throws Problem validation_failed */
function readAddress(address: string, { reference: { chain } }: ActionRequest): string {
  const faults: string[] = [];
  const [read] = readAddresses([address], chain.bech32_prefix, (message) => faults.push(message));
  if (read) return read;
  throw invalidBody([{ path: 'address', message: faults[0]! }]);
}

export const challenge = {
  ...common,
  method: 'POST',
  path: '/api/account/v1/sign-in/challenge',
  summary: 'A text that the wallet of an address signs to sign in: once, within five minutes.',
  body: 'challenge',
  response: 'challenge',
  async act(request) {
    const address = readAddress((request.body as WantedChallenge).address, request);
    const { store, config, now } = request;
    const made = await makeChallenge(store, address, config.baseUrl, now);
    return { json: { challenge: made.challenge, expires_at: made.expires.toISOString() } };
  },
} satisfies ActionEndpoint;

export const signIn = {
  ...common,
  method: 'POST',
  path: '/api/account/v1/sign-in',
  summary: 'Begins a session for who has signed the challenge with the wallet of the address (ADR-036).',
  description: 'The account is made with its first sign-in. A challenge can be tried once.',
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
        'the challenge is unknown, used or over, or its signature is not of this address',
      );
    }
    const account = await ensureAccount(store, 'cosmos', address, now);
    const json = { ...(await describeAccount(store, account)), signed_in_by: 'session', scopes: SCOPES };
    return { json, browser: { session: await openSession(store, account, now, browser) } };
  },
} satisfies ActionEndpoint;

export const signOut = {
  ...common,
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
} satisfies ActionEndpoint;

const linkPath = '/api/account/v1/link/{token}';

const LINK_PAGE = readPage('link.html');

/**
 * The page of a link, the same for each: whether one still works is told to who redeems it. It names a referrer policy of its own: with
 * that of other answers, which is none, browsers would send `Origin: null` along with its form.
 */
export const link = {
  ...common,
  policy: 'tax',
  kind: 'service',
  method: 'GET',
  path: linkPath,
  summary: 'The page of a link of the operator, with a button that redeems it. For people.',
  response: 'html',
  volatile: true,
  contentSecurityPolicy: FORM_POLICY,
  forPeople: true,
  serve: () => ({ text: LINK_PAGE, type: HTML_TYPE }),
} satisfies ServiceEndpoint;

export const redeemedLink = {
  ...common,
  method: 'POST',
  path: linkPath,
  summary: 'Begins a session for who redeems a link of the operator: once, within a day.',
  response: 'none',
  status: 303,
  forPeople: true,
  problems: ['unauthorized'],
  async act({ parameters: { token }, browser, store, config, now }) {
    const account = await redeemLink(store, token, now);
    if (!account)
      throw new Problem(
        'unauthorized',
        'this link signs nobody in: it was used already, is older than a day, or was not copied whole',
      );
    const session = await openSession(store, account, now, browser);
    return { location: config.baseUrl + HOME, browser: { session } };
  },
} satisfies ActionEndpoint;
