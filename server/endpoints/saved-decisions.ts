import type { NewSavedDecisions } from '../../schemas/types.generated.js';
import {
  findDecisions,
  readDecisions,
  removeDecisions,
  replaceDecisions,
  requireFitting,
} from '../decisions/saved-decisions.js';
import type { ActionEndpoint, ActionRequest } from '../endpoint.js';

const common = {
  kind: 'action',
  path: '/api/tax/v1/saved-decisions',
  caller: 'account',
  access: 'own',
  parameters: ['single_address'],
  policy: 'tax',
  problems: [],
} as const;

const ownerOf = ({ caller, parameters: { addresses } }: ActionRequest) => ({
  account: caller!.account,
  address: addresses[0]!,
});

export const savedDecisions = {
  ...common,
  method: 'GET',
  summary: 'Your saved decisions about flagged receipts of an address.',
  description:
    'They count on events and journal whenever your session or key is sent, unless asset_decisions of the request ' +
    'say otherwise; never on positions. One that does not fit its receipt, because a later dataset knows better, ' +
    'counts as none: the answer is then 409 `asset_decisions_required` until you decide again.',
  response: 'saved-decisions',
  act: async (request) => ({ json: await findDecisions(request.store, ownerOf(request)) }),
} satisfies ActionEndpoint;

export const replacedDecisions = {
  ...common,
  method: 'PUT',
  summary: 'Saves decisions about flagged receipts of an address, in place of those saved before.',
  body: 'saved-decisions',
  response: 'saved-decisions',
  async act(request) {
    const { decisions } = request.body as NewSavedDecisions;
    const assets = readDecisions(decisions);
    const lease = request.lease();
    try {
      if (lease) requireFitting(request.parameters.addresses[0]!, assets, lease.dataset);
    } finally {
      lease?.release();
    }
    return { json: await replaceDecisions(request.store, ownerOf(request), decisions, request.now) };
  },
} satisfies ActionEndpoint;

export const forgottenDecisions = {
  ...common,
  method: 'DELETE',
  summary: 'Forgets your saved decisions about an address, if there are any.',
  response: 'none',
  status: 204,
  async act(request) {
    await removeDecisions(request.store, ownerOf(request));
    return {};
  },
} satisfies ActionEndpoint;
