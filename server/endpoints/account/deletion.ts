import { removeAccount } from '../../accounts/accounts.js';
import type { ActionEndpoint } from '../../endpoint.js';

export const deletedAccount = {
  kind: 'action',
  method: 'DELETE',
  path: '/api/account/v1/me',
  caller: 'session',
  access: 'own',
  summary: 'Deletes your account with all that belongs to it.',
  description:
    'Ways to sign in, sessions, keys, webhooks with their deliveries, submissions, saved decisions and opening lots are gone at once; a ' +
    'server beside this one, on the same database, notices within a second. What an accepted submission has put into the registry stays, ' +
    'without the account.',
  parameters: [],
  response: 'none',
  policy: 'tax',
  async act({ caller, store }) {
    await removeAccount(store, caller!.account);
    return { browser: { session: '' } };
  },
} satisfies ActionEndpoint;
