/**
 * Entries that an account saves about a wallet: decisions, or lots bought before the index began. There is one entry
 * per wallet and kind (decisions R7, R10).
 */

import { VERSION } from '../../../pipeline/base/project.js';
import {
  type AssetDecisions,
  type Issue,
  type Parsed,
  parseAssetDecisions,
} from '../../../pipeline/ledger/decisions.js';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../../pipeline/ledger/opening-lots.js';
import type { Rules } from '../../../pipeline/ledger/rules.js';
import type { NewSavedDecisions, NewSavedOpeningLots, SavedWallets } from '../../../schemas/types.generated.js';
import { isExpected, strongETag } from '../../http/etag.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import { type Dataset, rowsWhere } from '../../tax/dataset/dataset.js';
import { receiptIssues, rowIssues } from '../../tax/decisions/row-decisions.js';
import { invalidBody } from '../../tax/parameters/faults.js';
import { withAccountLock } from '../accounts/accounts.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { CachedQueries, Parameters, Queries, Transactions } from '../store/store.js';

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
   * Replaces an entry. Empty content deletes it.
   * @param ifMatch ETags; one must match the saved entry. Undefined replaces any entry.
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

/** Includes the program version, because another version may serialize the same entry differently. */
export const etagOf = ({ address, content, saved_at }: SavedEntry<unknown>): string =>
  strongETag(JSON.stringify([VERSION, address, content, saved_at]));

/** Cached for a second, because most accounts have no entries and can get shared responses. */
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

/**
 * Validates decisions to save. Drops those about unknown record ids, which bounds the size of an entry.
 * @param dataset undefined before the first publication; then nothing is dropped
 */
export function readDecisions(given: GivenDecisions, address: string, dataset: Dataset | undefined): GivenDecisions {
  const parsed = parseAssetDecisions(given);
  if ('errors' in parsed) throw savedDecisions.refusal(parsed.errors);
  if (!dataset) return given;
  const decisions = parsed.value;
  const receipts = dataset.flagged(address).filter(({ record_id }) => decisions.has(record_id));
  const known = new Set(receipts.map(({ record_id }) => record_id));
  const others = new Set([...decisions.keys()].filter((id) => !known.has(id) && !isForMany(id)));
  const rows = others.size === 0 ? [] : rowsWhere([address], dataset, ({ id }) => others.has(id));
  const issues = receipts.flatMap((receipt) => receiptIssues(receipt, decisions.get(receipt.record_id)!, dataset));
  for (const row of rows) issues.push(...rowIssues(row, decisions.get(row.id)!, dataset));
  if (issues.length > 0) throw savedDecisions.refusal(issues);
  for (const { id } of rows) known.add(id);
  return Object.fromEntries(Object.entries(given).filter(([id]) => known.has(id) || isForMany(id)));
}

const isForMany = (id: string) => id.startsWith('*');

export async function findSavedDecisions(
  store: Queries,
  account: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, AssetDecisions>> {
  const found = new Map<string, AssetDecisions>();
  for (const { address, content } of await savedDecisions.find(store, account, addresses)) {
    const parsed = parseAssetDecisions(content);
    if ('value' in parsed) found.set(address, parsed.value);
  }
  return found;
}

type GivenLots = NewSavedOpeningLots['opening_lots'];

export const savedOpeningLots = new SavedEntries<GivenLots>(
  { find: 'saved-opening-lots/find', replace: 'saved-opening-lots/replace', remove: 'saved-opening-lots/remove' },
  'opening_lots',
  [],
);

export const lotIssues = (lots: readonly OpeningLot[], addresses: readonly string[], dataset: Dataset) =>
  openingLotIssues(lots, {
    addresses,
    indexStart: dataset.indexStart,
    rules: dataset.reference.rules,
    openingOf: (address) => dataset.opening(address),
  });

/** Throws a Problem if lots do not match the wallet's holdings at the start of the index. */
export function requireOpeningLots(
  given: GivenLots,
  address: string,
  rules: Rules,
  dataset: Dataset | undefined,
): void {
  const read = dataset ? fittingLots(given, address, dataset) : parseOpeningLots(given, rules);
  if ('errors' in read) throw savedOpeningLots.refusal(read.errors);
}

/**
 * Returns an account's saved lots. If one lot of a wallet no longer fits, none of that wallet's lots applies: the rest
 * would state a wrong cost.
 * @returns undefined if nothing is saved
 */
export async function findSavedLots(
  store: Queries,
  account: string,
  addresses: readonly string[],
  dataset: Dataset,
): Promise<readonly OpeningLot[] | undefined> {
  const entries = await savedOpeningLots.find(store, account, addresses);
  if (entries.length === 0) return undefined;
  const lots: OpeningLot[] = [];
  for (const { address, content } of entries) {
    const fitting = fittingLots(content, address, dataset);
    if ('value' in fitting) for (const lot of fitting.value) lots.push({ ...lot, address });
  }
  return lots;
}

function fittingLots(given: GivenLots, address: string, dataset: Dataset): Parsed<readonly OpeningLot[]> {
  const parsed = parseOpeningLots(given, dataset.reference.rules);
  if ('errors' in parsed) return parsed;
  const errors = lotIssues(parsed.value, [address], dataset);
  return errors.length > 0 ? { errors } : parsed;
}
