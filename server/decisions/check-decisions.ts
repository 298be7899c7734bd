/** Whether the caller's tags and asset decisions fit the rows of the wallets asked for (decisions R6, R7). */
import { checkDecisions, type Decisions, isDecided } from '../../pipeline/ledger/decisions/decisions.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { inTurns } from '../http/event-loop.js';
import { refusal, type ValidParameters } from '../parameters/parameters.js';

/**
 * Looks through all rows of the wallets, also those outside the asked range: lots depend on them.
 * @throws Problem with a JSON pointer to each tag or decision that does not fit
 */
export async function requireFitting(
  { personal, addresses, decisions, source }: ValidParameters,
  dataset: Dataset,
): Promise<void> {
  if (!personal) return;
  const decided = await inTurns(decidedEvents(addresses, decisions, dataset));
  const issues = checkDecisions(decided, decisions, dataset.reference.rules);
  const faults = [
    ...issues.tags.map((issue) => ({ name: 'tags' as const, ...issue })),
    ...issues.assets.map((issue) => ({ name: 'asset_decisions' as const, ...issue })),
  ];
  if (faults.length > 0) throw refusal(source, faults);
}

/** The rows that something is said about; stops after each segment. */
function* decidedEvents(
  addresses: readonly string[],
  decisions: Decisions,
  dataset: Dataset,
): Generator<undefined, PricedEvent[], undefined> {
  const decided: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const event of segment) if (isDecided(event, decisions)) decided.push(event);
      yield;
    }
  }
  return decided;
}
