/** Endpoints of wallet sign-in and of sign-out. */
import type { SignIn, WantedChallenge } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest } from '../../api/endpoint.js';
import { Problem } from '../../http/problem.js';
import { describeAccount, ensureAccount } from '../../people/accounts/accounts.js';
import { makeChallenge, redeemChallenge } from '../../people/accounts/challenges.js';
import { SCOPES } from '../../people/accounts/keys.js';
import { closeSession, openSession } from '../../people/accounts/sessions.js';
import { readAddresses } from '../../tax/parameters/addresses.js';
import { invalidBody } from '../../tax/parameters/faults.js';

const common = { kind: 'action', access: 'own', parameters: [], policy: 'sign-in' } as const;

/** Converts the address to lower case. @throws Problem validation_failed if it is invalid */
function readAddress(address: string, { reference: { chain } }: ActionRequest): string {
  const faults: string[] = [];
  const [read] = readAddresses([address], chain.bech32_prefix, (message) => faults.push(message));
  if (read) return read;
  throw invalidBody([{ path: 'address', message: faults[0]! }]);
}

export const signInEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
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
    ...common,
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
  },
];
