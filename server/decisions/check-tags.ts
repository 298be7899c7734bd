/** The check of tags: each must fit a row of its transaction, in any wallet asked for (decision R6). */
import { type Issue, type Tags, tagIssues } from '../../pipeline/ledger/decisions/decisions.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { inTurns } from '../http/event-loop.js';

/**
 * Reads all rows of the wallets, also those outside the asked range: lots depend on them.
 * @returns faults with JSON pointers below the tags
 */
export async function checkTags(addresses: readonly string[], tags: Tags, dataset: Dataset): Promise<readonly Issue[]> {
  if (tags.size === 0) return [];
  const tagged = await inTurns(rowsOfTagged(addresses, tags, dataset));
  return tagIssues(tagged, tags, dataset.reference.rules);
}

/** The rows of tagged transactions; stops after each segment. */
function* rowsOfTagged(
  addresses: readonly string[],
  tags: Tags,
  dataset: Dataset,
): Generator<undefined, PricedEvent[], undefined> {
  const tagged: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const event of segment) if (tags.has(event.tx_hash)) tagged.push(event);
      yield;
    }
  }
  return tagged;
}
