/** Endpoints for saved decisions about receipts and for saved opening lots. */
import type { FieldError } from '../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest, Outcome, RequestName } from '../api/endpoint.js';
import { LIMITS } from '../http/limits.js';
import { readDecisions, requireOpeningLots } from '../people/decisions.js';
import {
  etagOf,
  listSavedWallets,
  removeAllSaved,
  type SavedEntries,
  type SavedEntry,
  savedDecisions,
  savedOpeningLots,
} from '../people/saved-entries.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { readAddresses } from '../tax/parameters/addresses.js';
import { invalidBody } from '../tax/parameters/faults.js';

interface EntryKind<Content> {
  readonly entries: SavedEntries<Content>;
  /** Last segment of the path. The schemas have the same name. */
  readonly name: RequestName;
  /** Description of the content, such as `decisions about flagged receipts`. */
  readonly words: string;
  readonly description: string;
  /**
   * Checks an entry before it is saved.
   * @returns the part of the content to save
   * @throws Problem validation_failed
   */
  check(content: Content, address: string, request: ActionRequest): Content | Promise<Content>;
}

const ownerOf = ({ caller }: ActionRequest, address: string) => ({ account: caller!.account, address });

const queryAddress = ({ parameters }: ActionRequest) => parameters.addresses[0]!;

/** Returns the address in the body. @throws Problem validation_failed */
function bodyAddress({ body, reference }: ActionRequest): string {
  const { address = '' } = body as { readonly address?: string };
  const faults: FieldError[] = [];
  const [read] = readAddresses([address], reference.chain.bech32_prefix, (message) =>
    faults.push({ path: 'address', message }),
  );
  if (read === undefined) throw invalidBody(faults);
  return read;
}

/** Returns functions that read and replace an entry of one kind, and show it. */
function entryActions<Content>({ entries, check }: Pick<EntryKind<Content>, 'entries' | 'check'>) {
  const shown = (entry: SavedEntry<Content>): Outcome & { readonly etag: string } => {
    const { address, content, saved_at } = entry;
    const etag = etagOf(entry);
    return { json: { address, [entries.member]: content, saved_at: saved_at?.toISOString() ?? null, etag }, etag };
  };
  const read = async (request: ActionRequest, address: string) =>
    shown(await entries.get(request.store, ownerOf(request, address)));
  const replace = async (request: ActionRequest, address: string) => {
    const given = (request.body as Readonly<Record<string, Content>>)[entries.member]!;
    const content = await check(given, address, request);
    const owner = ownerOf(request, address);
    return shown(await entries.replace(request.store, owner, content, request.now, request.ifMatch));
  };
  return { read, replace };
}

/**
 * Creates endpoints that read, replace and delete one kind of saved entries. They use POST, so that no URL contains an
 * address.
 */
function entryEndpoints<Content>({ entries, name, words, description, check }: EntryKind<Content>) {
  const common = {
    kind: 'action',
    path: `/api/tax/v1/${name}`,
    caller: 'tax:read',
    access: 'same-origin',
    parameters: ['single_address'],
    policy: 'tax',
    response: name,
  } as const;
  const { read, replace } = entryActions({ entries, check });
  const writing = {
    ...common,
    summary: `Saves ${words} of an address, replacing earlier ones.`,
    body: name,
    conditional: true,
    problems: ['conflict', 'precondition_failed'],
  } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: `Your saved ${words} of an address.`,
      description,
      act: (request) => read(request, queryAddress(request)),
    },
    {
      ...common,
      path: `${common.path}/read`,
      method: 'POST',
      parameters: [],
      summary: `Your saved ${words} of an address, which is in the body instead of the URL.`,
      body: 'saved-entry',
      act: (request) => read(request, bodyAddress(request)),
    },
    {
      ...writing,
      method: 'PUT',
      description: 'An account may save them for up to 200 addresses.',
      act: (request) => replace(request, queryAddress(request)),
    },
    {
      ...writing,
      method: 'POST',
      parameters: [],
      description: 'As PUT, with the address in the body instead of the URL. Without content, the entry is deleted.',
      act: (request) => replace(request, bodyAddress(request)),
    },
    {
      ...common,
      method: 'DELETE',
      summary: `Deletes your saved ${words} of an address, if there are any.`,
      response: 'none',
      conditional: true,
      problems: ['precondition_failed'],
      async act(request) {
        await entries.remove(request.store, ownerOf(request, queryAddress(request)), request.ifMatch);
        return {};
      },
    },
  ] satisfies ActionEndpoint[];
}

const ofAll = {
  kind: 'action',
  path: '/api/account/v1/saved',
  caller: 'tax:read',
  access: 'same-origin',
  parameters: [],
  policy: 'tax',
} as const;

/** Runs `work` with the current dataset, which stays open during the work. */
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
