/** The endpoints of the account itself. */
import { describeAccount, removeAccount } from '../../accounts/accounts.js';
import type { ActionEndpoint } from '../../endpoint.js';

const common = { kind: 'action', path: '/api/account/v1/me', access: 'own', parameters: [], policy: 'tax' } as const;

export const meEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    caller: 'account',
    summary: 'The account of the session or key that is sent.',
    response: 'account',
    async act({ caller, store }) {
      const { account, by, scopes } = caller!;
      const described = await describeAccount(store, account);
      // A key without the right to read tax data is not told whose wallets these are.
      const identities = scopes.includes('tax:read') ? described.identities : [];
      return { json: { ...described, identities, signed_in_by: by, scopes } };
    },
  },
  {
    ...common,
    method: 'DELETE',
    caller: 'session',
    summary: 'Deletes your account with all that belongs to it.',
    description:
      'Ways to sign in, sessions, keys, webhooks with their deliveries, submissions, saved decisions and opening lots are gone at once; a ' +
      'server beside this one, on the same database, notices within a second. What an accepted submission has put into the registry stays, ' +
      'without the account.',
    response: 'none',
    async act({ caller, store }) {
      await removeAccount(store, caller!.account);
      return { browser: { session: '' } };
    },
  },
];
