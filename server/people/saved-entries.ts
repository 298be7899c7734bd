/** An account saves one entry for each wallet and kind: decisions, or lots bought before the index. */
import { VERSION } from '../../pipeline/base/project.js';
import type { ExchangeRates } from '../../pipeline/books/currencies/exchange-rates.js';
import { type AssetDecisions, type Issue, parseAssetDecisions } from '../../pipeline/books/ledger/decisions.js';
import type { NewSavedDecisions, NewSavedOpeningLots, SavedWallets } from '../../schemas/types.generated.js';
import { isExpected, strongETag } from '../http/etag.js';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { invalidBody } from '../tax/parameters/faults.js';
import { withAccountLock } from './accounts/accounts.js';
import { type RowOf, toResponse } from './store/shown-row.js';
import type { CachedQueries, Parameters, Queries, Transactions } from './store/store.js';

const { entry: ENTRY_MAX, entries: ENTRIES_MAX } = LIMITS.saved;

interface Owner {
  readonly account: string;
  readonly address: string;
}

export interface SavedEntry<Content> {
  readonly address: string;
  readonly content: Content;
  readonly saved_at: Date | null;
}

type EntryQueries = Readonly<Record<'find' | 'replace' | 'remove', string>>;

export class SavedEntries<Content> {
  constructor(
    private readonly queries: EntryQueries,
    readonly member: string,
    private readonly none: Content,
  ) {}

  find(store: Queries, account: string, addresses: readonly string[]): Promise<SavedEntry<Content>[]> {
    return store.query<SavedEntry<Content>>(this.queries.find, { account, addresses });
  }

  async get(store: Queries, { account, address }: Owner): Promise<SavedEntry<Content>> {
    const [entry] = await this.find(store, account, [address]);
    return entry ?? { address, content: this.none, saved_at: null };
  }

  /**
   * Replaces an entry. Empty content deletes the entry.
   * @param ifMatch ETags, one of which must match the saved entry; undefined replaces any entry
   */
  async replace(
    store: Transactions,
    { account, address }: Owner,
    content: Content,
    now: Date,
    ifMatch?: string,
  ): Promise<SavedEntry<Content>> {
    if (Object.keys(content as object).length === 0) {
      await this.remove(store, { account, address }, ifMatch);
      return { address, content, saved_at: null };
    }
    const text = JSON.stringify(content);
    const bytes = Buffer.byteLength(text);
    if (bytes > ENTRY_MAX.max)
      throw this.refusal([{ path: '', message: `has ${bytes} bytes; the limit is ${ENTRY_MAX.max}` }]);
    const values = { account, address, content: text, now, max: ENTRIES_MAX.max };
    const [entry] = await this.change(store, this.queries.replace, values, ifMatch);
    if (!entry)
      throw new Problem('conflict', `you have entries for ${ENTRIES_MAX.max} addresses already: delete one first`);
    return entry;
  }

  refusal(issues: readonly Issue[]): Problem {
    return invalidBody(issues.map(({ path, message }) => ({ path: this.member + path, message })));
  }

  async remove(store: Transactions, { account, address }: Owner, ifMatch?: string): Promise<void> {
    await this.change(store, this.queries.remove, { account, address }, ifMatch);
  }

  private async change(store: Transactions, query: string, values: Owner & Parameters, ifMatch?: string) {
    const rows = await withAccountLock(store, values.account, async (queries) => {
      if (ifMatch !== undefined && !isExpected(ifMatch, etagOf(await this.get(queries, values))))
        throw new Problem('precondition_failed', 'the entry of this address has changed since you read it: reload it');
      return queries.query<SavedEntry<Content>>(query, values);
    });
    store.lookups.forget(nameOf(values.account));
    return rows;
  }
}

/**
 * Returns the ETag of a saved entry. Covers the program version, because another version may serialize the same entry
 * differently.
 */
export const etagOf = ({ address, content, saved_at }: SavedEntry<unknown>): string =>
  strongETag(JSON.stringify([VERSION, address, content, saved_at]));

/**
 * Returns true if the account has saved entries. Accounts without entries (most accounts) get responses from the shared
 * cache. The result is cached for a second, so that most of these requests need no query.
 */
export async function hasSavedEntries(store: CachedQueries, account: string): Promise<boolean> {
  const lookUp = () => store.query<{ readonly any: boolean }>('saved-entries/any', { account });
  const found = await store.lookups.find(nameOf(account), lookUp, (row) => row !== undefined);
  return found!.any;
}

const nameOf = (account: string) => `saved entries ${account}`;

type SavedWallet = SavedWallets['wallets'][number];

export async function listSavedWallets(store: Queries, account: string): Promise<SavedWallet[]> {
  const rows = await store.query<RowOf<SavedWallet>>('saved-entries/of-account', { account });
  return rows.map(toResponse<SavedWallet>);
}

export async function removeAllSaved(store: CachedQueries, account: string): Promise<void> {
  await store.query('saved-entries/remove-all', { account });
  store.lookups.forget(nameOf(account));
}

export type GivenDecisions = NewSavedDecisions['decisions'];

export const savedDecisions = new SavedEntries<GivenDecisions>(
  { find: 'saved-decisions/find', replace: 'saved-decisions/replace', remove: 'saved-decisions/remove' },
  'decisions',
  {},
);

export async function findSavedDecisions(
  store: Queries,
  account: string,
  addresses: readonly string[],
  rates: ExchangeRates,
): Promise<ReadonlyMap<string, AssetDecisions>> {
  const found = new Map<string, AssetDecisions>();
  for (const { address, content } of await savedDecisions.find(store, account, addresses)) {
    const parsed = parseAssetDecisions(content, rates);
    if ('value' in parsed) found.set(address, parsed.value);
  }
  return found;
}

export type GivenLots = NewSavedOpeningLots['opening_lots'];

export const savedOpeningLots = new SavedEntries<GivenLots>(
  { find: 'saved-opening-lots/find', replace: 'saved-opening-lots/replace', remove: 'saved-opening-lots/remove' },
  'opening_lots',
  [],
);
