/** Saved decisions: an account's decisions about receipts of wallets (decision R7, "Flagged receipts"). */
import { type AssetDecisions, parseAssetDecisions } from '../../pipeline/ledger/decisions/decisions.js';
import type { Steps } from '../../pipeline/ledger/decisions/issues.js';
import type { NewSavedDecisions } from '../../schemas/types.generated.js';
import { type Dataset, rowsWhere } from '../dataset/dataset.js';
import { inTurns } from '../http/event-loop.js';
import type { Queries } from '../store/store.js';
import { receiptIssues, rowIssues } from './row-decisions.js';
import { SavedEntries } from './saved-entries.js';

/** Decisions as sent: record id → decision, all values as text. */
type Given = NewSavedDecisions['decisions'];

export const savedDecisions = new SavedEntries<Given>(
  { find: 'saved-decisions/find', replace: 'saved-decisions/replace', remove: 'saved-decisions/remove' },
  'decisions',
  {},
);

/**
 * Parses decisions to save. Drops decisions about ids that the wallet does not have, which bounds the size of an entry.
 * @param dataset undefined before the first publication; then nothing is dropped
 * @throws Problem validation_failed with a pointer to each decision that is invalid or does not fit its row
 */
export const readDecisions = (given: Given, address: string, dataset: Dataset | undefined): Promise<Given> =>
  inTurns(fittingDecisions(given, address, dataset));

function* fittingDecisions(given: Given, address: string, dataset: Dataset | undefined): Steps<Given> {
  const parsed = yield* parseAssetDecisions(given);
  if ('errors' in parsed) throw savedDecisions.refusal(parsed.errors);
  if (!dataset) return given;
  const decisions = parsed.value;
  const receipts = dataset.flagged(address).filter(({ record_id }) => decisions.has(record_id));
  const known = new Set(receipts.map(({ record_id }) => record_id));
  const others = new Set([...decisions.keys()].filter((id) => !known.has(id) && !isForMany(id)));
  const rows = others.size === 0 ? [] : yield* rowsWhere([address], dataset, ({ id }) => others.has(id));
  const issues = receipts.flatMap((receipt) => receiptIssues(receipt, decisions.get(receipt.record_id)!, dataset));
  for (const row of rows) {
    yield;
    issues.push(...rowIssues(row, decisions.get(row.id)!, dataset));
  }
  if (issues.length > 0) throw savedDecisions.refusal(issues);
  for (const { id } of rows) known.add(id);
  return Object.fromEntries(Object.entries(given).filter(([id]) => known.has(id) || isForMany(id)));
}

const isForMany = (id: string) => id.startsWith('*');

/** Returns an account's saved decisions by wallet; leaves out those that this version cannot parse. */
export async function findSavedDecisions(
  store: Queries,
  account: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, AssetDecisions>> {
  const found = new Map<string, AssetDecisions>();
  for (const { address, content } of await savedDecisions.find(store, account, addresses)) {
    const parsed = await inTurns(parseAssetDecisions(content));
    if ('value' in parsed) found.set(address, parsed.value);
  }
  return found;
}
