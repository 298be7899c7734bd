/** Saved entries: what accounts have stated about wallets, an entry a wallet, such as decisions or opening lots (decisions R7, R10). */
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

/** The account whose entry it is, and the wallet that it is about. */
export interface Owner {
  readonly account: string;
  readonly address: string;
}

/** An entry as it was given. */
export interface SavedEntry<Content> {
  readonly address: string;
  readonly content: Content;
  /** Null while nothing is saved. */
  readonly saved_at: Date | null;
}

/** Names of the queries about one kind of entries. */
type EntryQueries = Readonly<Record<'find' | 'replace' | 'remove', string>>;

/** One kind of entries. */
export class SavedEntries<Content> {
  /**
   * @param member the member of requests and answers that has the content
   * @param none the content of what is not saved
   */
  constructor(
    private readonly queries: EntryQueries,
    readonly member: string,
    private readonly none: Content,
  ) {}

  /** Finds the account's entries about wallets. */
  find(store: Queries, account: string, addresses: readonly string[]): Promise<SavedEntry<Content>[]> {
    return store.query<SavedEntry<Content>>(this.queries.find, { account, addresses });
  }

  /** Finds one entry, an empty one where nothing is saved. */
  async get(store: Queries, { account, address }: Owner): Promise<SavedEntry<Content>> {
    const [entry] = await this.find(store, account, [address]);
    return entry ?? { address, content: this.none, saved_at: null };
  }

  /**
   * Saves an entry in place of what the account has saved about the wallet. One without content is none: the report sends one of each
   * wallet that it was asked for.
   * @param ifMatch ETags of which what is saved until now must have one; undefined: whatever is saved is replaced
   * @throws Problem validation_failed when it is too large, conflict when the account has as many as it may have, precondition_failed
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
      throw this.refusal([{ path: '', message: `has ${bytes} bytes, at most ${ENTRY_MAX.max} are saved` }]);
    const values = { account, address, content: text, now, most: ENTRIES_MAX.max };
    const [entry] = await this.change(store, this.queries.replace, values, ifMatch);
    if (!entry)
      throw new Problem('conflict', `you have entries about ${ENTRIES_MAX.max} addresses already: remove one first`);
    return entry;
  }

  /** The problem that tells faults of content. @param issues with JSON pointers below the member */
  refusal(issues: readonly Issue[]): Problem {
    return invalidBody(issues.map(({ path, message }) => ({ path: this.member + path, message })));
  }

  /** Forgets an entry, if there is one. @param ifMatch as of `replace` @throws Problem precondition_failed */
  async remove(store: Transactions, { account, address }: Owner, ifMatch?: string): Promise<void> {
    await this.change(store, this.queries.remove, { account, address }, ifMatch);
  }

  private async change(store: Transactions, query: string, values: Owner & Parameters, ifMatch?: string) {
    const rows = await changeInTurn(store, values.account, async (queries) => {
      if (ifMatch !== undefined && !isExpected(ifMatch, etagOf(await this.get(queries, values))))
        throw new Problem('precondition_failed', 'what is saved about this address was changed since you read it');
      return queries.query<SavedEntry<Content>>(query, values);
    });
    store.lookups.forget(nameOf(values.account));
    return rows;
  }
}

/** The ETag of an entry. A new program may write the same entry in another way. */
export const etagOf = ({ address, content, saved_at }: SavedEntry<unknown>): string =>
  strongETag(JSON.stringify([VERSION, address, content, saved_at]));

/**
 * Whether an account has saved anything about any wallet. Who has not, as most programs with a key, gets the answers that everybody gets,
 * and the store is asked for that once a second.
 */
export async function hasSavedEntries(store: CachedQueries, account: string): Promise<boolean> {
  const lookUp = () => store.query<{ readonly any: boolean }>('saved-entries/any', { account });
  const found = await store.lookups.find(nameOf(account), lookUp, (row) => row !== undefined);
  return found!.any;
}

/** The name in the lookup cache of whether an account has entries. */
const nameOf = (account: string) => `saved entries ${account}`;

/** A wallet about which an account has saved something. */
type SavedWallet = SavedWallets['wallets'][number];

/** The wallets about which an account has saved entries of whatever kind, the one that was changed last first. */
export async function listSavedWallets(store: Queries, account: string): Promise<SavedWallet[]> {
  const rows = await store.query<RowOf<SavedWallet>>('saved-entries/of-account', { account });
  return rows.map(shownRow<SavedWallet>);
}

/** Forgets every entry of an account. */
export async function removeAllSaved(store: CachedQueries, account: string): Promise<void> {
  await store.query('saved-entries/remove-all', { account });
  store.lookups.forget(nameOf(account));
}
