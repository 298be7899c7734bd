/** Whether the caller's tags and asset decisions fit the rows of the wallets asked for (decisions R6, R7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkDecisions, type Decisions, decisionOf } from '../pipeline/ledger/decisions.js';
import { tagOf } from '../pipeline/ledger/treatment.js';
import type { PricedEvent } from '../schemas/types.generated.js';
import type { Dataset } from './dataset.js';
import { refusal, type ValidParameters } from './parameters.js';

/**
 * Looks through all rows of the wallets, also those outside the asked range: lots depend on them.
 * @throws Problem with a JSON pointer to each tag or decision that does not fit
 */
export async function requireFitting(parameters: ValidParameters, dataset: Dataset): Promise<void> {
  if (!parameters.personal) return;
  const { addresses, decisions } = parameters;
  const concerned: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const event of segment) if (isConcerned(event, decisions)) concerned.push(event);
      await nextTurn();
    }
  }
  const issues = checkDecisions(concerned, decisions, dataset.reference.rules);
  const faults = [
    ...issues.tags.map((issue) => ({ name: 'tags' as const, ...issue })),
    ...issues.assets.map((issue) => ({ name: 'asset_decisions' as const, ...issue })),
  ];
  if (faults.length > 0) throw refusal(parameters.source, faults);
}

function isConcerned(event: PricedEvent, decisions: Decisions): boolean {
  const tagged = (denom: string | null) => denom !== null && tagOf(decisions, event.tx_hash, denom) !== undefined;
  const { received_denom, sent_denom, fee_denom } = event;
  return (
    decisionOf(decisions, event) !== undefined || tagged(received_denom) || tagged(sent_denom) || tagged(fee_denom)
  );
}
