import { describeAccount } from '../../accounts/accounts.js';
import type { ActionEndpoint } from '../../endpoint.js';

export const me = {
  kind: 'action',
  method: 'GET',
  path: '/api/account/v1/me',
  caller: 'account',
  access: 'own',
  summary: 'The account of the session or key that is sent.',
  parameters: [],
  response: 'account',
  policy: 'tax',
  problems: [],
  async act({ caller, store }) {
    const { account, by, scopes } = caller!;
    return { json: { ...(await describeAccount(store, account)), signed_in_by: by, scopes } };
  },
} satisfies ActionEndpoint;
