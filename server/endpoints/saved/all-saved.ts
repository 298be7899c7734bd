import { listSavedWallets, removeAllSaved } from '../../decisions/saved-entries.js';
import type { ActionEndpoint } from '../../endpoint.js';

const common = {
  kind: 'action',
  path: '/api/account/v1/saved',
  caller: 'tax:read',
  access: 'own',
  parameters: [],
  policy: 'tax',
} as const;

export const savedWallets = {
  ...common,
  method: 'GET',
  summary: 'The addresses about which you have saved decisions or opening lots.',
  response: 'saved-wallets',
  act: async ({ caller, store }) => ({ json: { wallets: await listSavedWallets(store, caller!.account) } }),
} satisfies ActionEndpoint;

export const nothingSaved = {
  ...common,
  method: 'DELETE',
  summary: 'Forgets all that you have saved, about whatever address.',
  response: 'none',
  async act({ caller, store }) {
    await removeAllSaved(store, caller!.account);
    return {};
  },
} satisfies ActionEndpoint;
