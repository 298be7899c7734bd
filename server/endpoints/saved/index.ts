/** Endpoints of saved decisions about receipts and saved opening lots. */

import type { ActionEndpoint, ActionRequest } from '../../api/endpoint.js';
import { LIMITS } from '../../http/limits.js';
import {
  listSavedWallets,
  readDecisions,
  removeAllSaved,
  requireOpeningLots,
  savedDecisions,
  savedOpeningLots,
} from '../../people/saved/saved-entries.js';
import type { Dataset } from '../../tax/dataset/dataset.js';
import { entryEndpoints } from './entry-endpoints.js';

const ofAll = {
  kind: 'action',
  path: '/api/account/v1/saved',
  caller: 'tax:read',
  access: 'own',
  parameters: [],
  policy: 'tax',
} as const;

/** Keeps the current dataset open during `work`. */
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
    summary: 'The addresses with saved decisions or opening lots.',
    response: 'saved-wallets',
    act: async ({ caller, store }) => ({ json: { wallets: await listSavedWallets(store, caller!.account) } }),
  },
  {
    ...ofAll,
    method: 'DELETE',
    caller: 'tax:write',
    summary: 'Deletes everything that you have saved, for all addresses.',
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
      'They apply to events, journal and summary whenever your session or key is sent, unless asset_decisions of the ' +
      'request override them. On positions only decisions about unflagged rows apply. A decision that no longer ' +
      'fits its receipt in a later dataset is ignored: the response is then 409 `asset_decisions_required` until ' +
      'you decide again.',
    check: (given, address, request) =>
      withDataset(request, (dataset) =>
        dataset && dataset.rows(address) > LIMITS.answers.longRows.max
          ? request.fitDecisions(given, address, dataset)
          : readDecisions(given, address, dataset),
      ),
  }),
  ...entryEndpoints({
    entries: savedOpeningLots,
    name: 'saved-opening-lots',
    words: 'opening lots',
    description:
      'They apply to journal, positions and summary whenever your session or key is sent and the request has no ' +
      'opening_lots; saved_opening_lots in the response is their number. The lots of an address apply together, or ' +
      'not at all if they do not fit its holdings in a later dataset.',
    check: (given, address, request) =>
      withDataset(request, async (dataset) => {
        await requireOpeningLots(given, address, request.reference.rules, dataset);
        return given;
      }),
  }),
];
