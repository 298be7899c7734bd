/**
 * Saved entries: what accounts state about wallets, such as decisions or opening lots. One entry per wallet and kind
 * (decisions R7, R10).
 */
import type { Issue } from '../../pipeline/ledger/decisions/issues.js';
import { VERSION } from '../../pipeline/project.js';
import type { SavedWallets } from '../../schemas/types.generated.js';
import { changeInTurn } from '../accounts/accounts.js';
import { isExpected, strongETag } from '../http/etag.js';
import { LIMITS } from '../limits.js';
import { invalidBody } from '../parameters/faults.js';
import { Problem } from '../problem.js';
import { type RowOf, shownRow } from '../store/shown-row.js';
import type { CachedQueries, Parameters, Queries, Transactions } from '../store/store.js';

const { entry: ENTRY_MAX, entries: ENTRIES_MAX } = LIMITS.saved;

export interface Owner {
  readonly account: string;
  readonly address: string;
}

export interface SavedEntry<Content> {
  readonly address: string;
  readonly content: Content;
  /** Null if nothing is saved. */
  readonly saved_at: Date | null;
}

type EntryQueries = Readonly<Record<'find' | 'replace' | 'remove', string>>;

export class SavedEntries<Content> {
  /** @param member JSON member with the content @param none content of an absent entry */
  constructor(
    private readonly queries: EntryQueries,
    readonly member: string,
    private readonly none: Content,
  ) {}

  find(store: Queries, account: string, addresses: readonly string[]): Promise<SavedEntry<Content>[]> {
    return store.query<SavedEntry<Content>>(this.queries.find, { account, addresses });
  }

  /** Returns one entry, or an empty one if nothing is saved. */
  async get(store: Queries, { account, address }: Owner): Promise<SavedEntry<Content>> {
    const [entry] = await this.find(store, account, [address]);
    return entry ?? { address, content: this.none, saved_at: null };
  }

  /**
   * Replaces an entry. Empty content deletes it: the report saves an entry for each of its wallets.
   * @param ifMatch ETags, one of which the saved entry must have; undefined replaces any
   * @throws Problem validation_failed if it is too large, conflict if the account has reached its limit,
   * precondition_failed
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
    const values = { account, address, content: text, now, most: ENTRIES_MAX.max };
    const [entry] = await this.change(store, this.queries.replace, values, ifMatch);
    if (!entry)
      throw new Problem('conflict', `you have entries about ${ENTRIES_MAX.max} addresses already: remove one first`);
    return entry;
  }

  refusal(issues: readonly Issue[]): Problem {
    return invalidBody(issues.map(({ path, message }) => ({ path: this.member + path, message })));
  }

  /** Deletes an entry, if there is one. @param ifMatch same as in `replace` @throws Problem precondition_failed */
  async remove(store: Transactions, { account, address }: Owner, ifMatch?: string): Promise<void> {
    await this.change(store, this.queries.remove, { account, address }, ifMatch);
  }

  private async change(store: Transactions, query: string, values: Owner & Parameters, ifMatch?: string) {
    const rows = await changeInTurn(store, values.account, async (queries) => {
      if (ifMatch !== undefined && !isExpected(ifMatch, etagOf(await this.get(queries, values))))
        throw new Problem('precondition_failed', 'the entry about this address has changed since you read it');
      return queries.query<SavedEntry<Content>>(query, values);
    });
    store.lookups.forget(nameOf(values.account));
    return rows;
  }
}

/** Returns an entry's ETag. A new version may serialize the same entry differently. */
export const etagOf = ({ address, content, saved_at }: SavedEntry<unknown>): string =>
  strongETag(JSON.stringify([VERSION, address, content, saved_at]));

/**
 * Returns whether an account has any saved entry. Most API keys have none and get shared responses, so the result is
 * cached for a second.
 */
export async function hasSavedEntries(store: CachedQueries, account: string): Promise<boolean> {
  const lookUp = () => store.query<{ readonly any: boolean }>('saved-entries/any', { account });
  const found = await store.lookups.find(nameOf(account), lookUp, (row) => row !== undefined);
  return found!.any;
}

const nameOf = (account: string) => `saved entries ${account}`;

type SavedWallet = SavedWallets['wallets'][number];

/** Lists the wallets with saved entries of any kind, last changed first. */
export async function listSavedWallets(store: Queries, account: string): Promise<SavedWallet[]> {
  const rows = await store.query<RowOf<SavedWallet>>('saved-entries/of-account', { account });
  return rows.map(shownRow<SavedWallet>);
}

export async function removeAllSaved(store: CachedQueries, account: string): Promise<void> {
  await store.query('saved-entries/remove-all', { account });
  store.lookups.forget(nameOf(account));
}
