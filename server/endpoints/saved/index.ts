/** The endpoints of what accounts save about wallets: decisions about receipts, and opening lots. */
import type { Dataset } from '../../dataset/dataset.js';
import { readDecisions, savedDecisions } from '../../decisions/saved-decisions.js';
import { listSavedWallets, removeAllSaved } from '../../decisions/saved-entries.js';
import { requireOpeningLots, savedOpeningLots } from '../../decisions/saved-opening-lots.js';
import type { ActionEndpoint, ActionRequest } from '../../endpoint.js';
import { entryEndpoints } from './entry-endpoints.js';

const ofAll = {
  kind: 'action',
  path: '/api/account/v1/saved',
  caller: 'tax:read',
  access: 'own',
  parameters: [],
  policy: 'tax',
} as const;

/** Reads the generation in hand, if there is one, while the work lasts. */
async function withDataset<Result>(
  { lease }: ActionRequest,
  work: (dataset: Dataset | undefined) => Result | Promise<Result>,
): Promise<Result> {
  const held = lease();
  try {
    return await work(held?.dataset);
  } finally {
    held?.release();
  }
}

export const savedEntryEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofAll,
    method: 'GET',
    summary: 'The addresses about which you have saved decisions or opening lots.',
    response: 'saved-wallets',
    act: async ({ caller, store }) => ({ json: { wallets: await listSavedWallets(store, caller!.account) } }),
  },
  {
    ...ofAll,
    method: 'DELETE',
    caller: 'tax:write',
    summary: 'Forgets all that you have saved, about whatever address.',
    response: 'none',
    async act({ caller, store }) {
      await removeAllSaved(store, caller!.account);
      return {};
    },
  },
  ...entryEndpoints({
    entries: savedDecisions,
    name: 'saved-decisions',
    words: 'decisions about receipts',
    description:
      'They count on events, journal and summary whenever your session or key is sent, unless asset_decisions of the ' +
      'request say otherwise. On positions those count alone that name rows which are no flagged receipts. One that ' +
      'does not fit its receipt, because a later dataset knows better, counts as none: the answer is then 409 ' +
      '`asset_decisions_required` until you decide again.',
    check: (given, address, request) => withDataset(request, (dataset) => readDecisions(given, address, dataset)),
  }),
  ...entryEndpoints({
    entries: savedOpeningLots,
    name: 'saved-opening-lots',
    words: 'opening lots',
    description:
      'They count on journal, positions and summary whenever your session or key is sent and the request has no ' +
      'opening_lots; the answer says how many in saved_opening_lots. Those of an address count together or, where ' +
      'they do not fit what a later dataset says that it held, not at all.',
    check: (given, address, request) =>
      withDataset(request, async (dataset) => {
        await requireOpeningLots(given, address, request.reference.rules, dataset);
        return given;
      }),
  }),
];
