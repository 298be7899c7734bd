/** Saved opening lots: what accounts have stated about coins that wallets held before the index (decision R10). */
import type { Parsed, Steps } from '../../pipeline/ledger/decisions/issues.js';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../pipeline/ledger/opening/opening-lots.js';
import type { Rules } from '../../pipeline/ledger/rules.js';
import type { NewSavedOpeningLots } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { inTurns } from '../http/event-loop.js';
import type { Queries } from '../store/store.js';
import { SavedEntries } from './saved-entries.js';

/** The lots as sent: every value a text. */
type Given = NewSavedOpeningLots['opening_lots'];

export const savedOpeningLots = new SavedEntries<Given>(
  { find: 'saved-opening-lots/find', replace: 'saved-opening-lots/replace', remove: 'saved-opening-lots/remove' },
  'opening_lots',
  [],
);

/** Finds what is wrong with lots of wallets. @returns faults with JSON pointers below the lots */
export const lotIssues = (lots: readonly OpeningLot[], addresses: readonly string[], dataset: Dataset) =>
  openingLotIssues(lots, {
    addresses,
    indexStart: dataset.indexStart,
    rules: dataset.reference.rules,
    openingOf: (address) => dataset.opening(address),
  });

/**
 * Requires lots of a wallet that can be read and, once something is published, that fit what it held.
 * @throws Problem validation_failed with a pointer to each fault
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
 * Finds the lots that an account has saved about wallets. Those of a wallet count together or not at all: a part of them would state
 * another cost than their owner did.
 * @returns undefined where nothing is saved
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
