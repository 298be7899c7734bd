/** Creates endpoints that read, replace and delete saved entries of one kind. */

import type { ActionEndpoint, ActionRequest, Outcome } from '../../api/endpoint.js';
import { etagOf, type SavedEntries, type SavedEntry } from '../../people/saved/saved-entries.js';
import type { RequestName } from '../../tax/parameters/body-schemas.js';

interface EntryKind<Content> {
  readonly entries: SavedEntries<Content>;
  /** Last segment of the path. Also the name of the schemas. */
  readonly name: RequestName;
  /** Description of the content, such as `decisions about flagged receipts`. */
  readonly words: string;
  readonly description: string;
  /**
   * @returns the part of the content to save
   * @throws Problem validation_failed
   */
  check(content: Content, address: string, request: ActionRequest): Content | Promise<Content>;
}

const addressOf = ({ parameters }: ActionRequest) => parameters.addresses[0]!;
const ownerOf = (request: ActionRequest) => ({ account: request.caller!.account, address: addressOf(request) });

export function entryEndpoints<Content>({ entries, name, words, description, check }: EntryKind<Content>) {
  const common = {
    kind: 'action',
    path: `/api/tax/v1/${name}`,
    caller: 'tax:read',
    access: 'own',
    parameters: ['single_address'],
    policy: 'tax',
    response: name,
  } as const;
  const shown = (entry: SavedEntry<Content>): Outcome & { readonly etag: string } => {
    const { address, content, saved_at } = entry;
    const etag = etagOf(entry);
    return { json: { address, [entries.member]: content, saved_at: saved_at?.toISOString() ?? null, etag }, etag };
  };
  return [
    {
      ...common,
      method: 'GET',
      summary: `Your saved ${words} of an address.`,
      description,
      act: async (request) => shown(await entries.get(request.store, ownerOf(request))),
    },
    {
      ...common,
      method: 'PUT',
      caller: 'tax:write',
      summary: `Saves ${words} of an address, replacing earlier ones.`,
      description: 'An account may save them for up to 200 addresses.',
      body: name,
      conditional: true,
      problems: ['conflict', 'precondition_failed'],
      async act(request) {
        const given = (request.body as Readonly<Record<string, Content>>)[entries.member]!;
        const content = await check(given, addressOf(request), request);
        return shown(await entries.replace(request.store, ownerOf(request), content, request.now, request.ifMatch));
      },
    },
    {
      ...common,
      method: 'DELETE',
      caller: 'tax:write',
      summary: `Deletes your saved ${words} of an address, if there are any.`,
      response: 'none',
      conditional: true,
      problems: ['precondition_failed'],
      async act(request) {
        await entries.remove(request.store, ownerOf(request), request.ifMatch);
        return {};
      },
    },
  ] satisfies ActionEndpoint[];
}
