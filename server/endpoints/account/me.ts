import type { ActionEndpoint } from '../../api/endpoint.js';
import { describeAccount, removeAccount } from '../../people/accounts/accounts.js';

const common = { kind: 'action', path: '/api/account/v1/me', access: 'own', parameters: [], policy: 'tax' } as const;

export const meEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    caller: 'account',
    summary: 'The account of the session or key.',
    response: 'account',
    async act({ caller, store }) {
      const { account, by, scopes } = caller!;
      const described = await describeAccount(store, account);
      // A key without the scope tax:read must not reveal the owner's wallets.
      const identities = scopes.includes('tax:read') ? described.identities : [];
      return { json: { ...described, identities, signed_in_by: by, scopes } };
    },
  },
  {
    ...common,
    method: 'DELETE',
    caller: 'session',
    summary: 'Deletes your account and everything that belongs to it.',
    description:
      'Ways to sign in, sessions, keys, webhooks with their deliveries, submissions, saved decisions and opening lots are deleted at once; ' +
      'other servers on the same database notice within a second. What an accepted submission has added to the registry stays, ' +
      'without the account.',
    response: 'none',
    async act({ caller, store }) {
      await removeAccount(store, caller!.account);
      return { browser: { session: '' } };
    },
  },
];
