/** Saved opening lots: an account's lots for coins that wallets held before the index (decision R10). */
import type { Parsed, Steps } from '../../pipeline/ledger/decisions/issues.js';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../pipeline/ledger/opening/opening-lots.js';
import type { Rules } from '../../pipeline/ledger/rules.js';
import type { NewSavedOpeningLots } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { inTurns } from '../http/event-loop.js';
import type { Queries } from '../store/store.js';
import { SavedEntries } from './saved-entries.js';

type Given = NewSavedOpeningLots['opening_lots'];

export const savedOpeningLots = new SavedEntries<Given>(
  { find: 'saved-opening-lots/find', replace: 'saved-opening-lots/replace', remove: 'saved-opening-lots/remove' },
  'opening_lots',
  [],
);

/** Checks lots of wallets. @returns errors with JSON pointers below the lots */
export const lotIssues = (lots: readonly OpeningLot[], addresses: readonly string[], dataset: Dataset) =>
  openingLotIssues(lots, {
    addresses,
    indexStart: dataset.indexStart,
    rules: dataset.reference.rules,
    openingOf: (address) => dataset.opening(address),
  });

/**
 * Parses lots and checks them against the wallet's opening holdings, if a dataset is published.
 * @throws Problem validation_failed with a pointer to each error
 */
export async function requireOpeningLots(
  given: Given,
  address: string,
  rules: Rules,
  dataset: Dataset | undefined,
): Promise<void> {
  const read = await inTurns(dataset ? fittingLots(given, address, dataset) : parseOpeningLots(given, rules));
  if ('errors' in read) throw savedOpeningLots.refusal(read.errors);
}

/**
 * Returns an account's saved lots. A wallet's lots apply all together or not at all: a part would state a wrong cost.
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
    const fitting = await inTurns(fittingLots(content, address, dataset));
    if ('value' in fitting) for (const lot of fitting.value) lots.push({ ...lot, address });
  }
  return lots;
}

function* fittingLots(given: Given, address: string, dataset: Dataset): Steps<Parsed<readonly OpeningLot[]>> {
  const parsed = yield* parseOpeningLots(given, dataset.reference.rules);
  if ('errors' in parsed) return parsed;
  const errors = yield* lotIssues(parsed.value, [address], dataset);
  return errors.length > 0 ? { errors } : parsed;
}
