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
  async act({ caller, store }) {
    const { account, by, scopes } = caller!;
    const described = await describeAccount(store, account);
    // A key without the right to read tax data is not told whose wallets these are.
    const identities = scopes.includes('tax:read') ? described.identities : [];
    return { json: { ...described, identities, signed_in_by: by, scopes } };
  },
} satisfies ActionEndpoint;
