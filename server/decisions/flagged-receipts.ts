/** Flagged receipts of the wallets asked for, and what the caller decided about them (decisions R7, A12, "Flagged receipts"). */
import type { AssetDecision } from '../../pipeline/ledger/decisions/decisions.js';
import type { FlaggedReceipt } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { isInRange, type TimeRange } from '../parameters/time-range.js';
import { Problem } from '../problem.js';

/** A flagged receipt with its decision, if there is one. */
export interface ReviewedReceipt {
  readonly receipt: FlaggedReceipt;
  readonly decision: AssetDecision | undefined;
}

/** The flagged receipts of a range, wallet by wallet as asked, each in the chain's order. */
export function* reviewedReceipts(
  { addresses, decisions }: ValidParameters,
  dataset: Dataset,
  range: TimeRange,
): Generator<ReviewedReceipt, void, undefined> {
  for (const address of addresses) {
    for (const receipt of dataset.flagged(address)) {
      if (isInRange(receipt.time, range)) yield { receipt, decision: decisions.assets.get(receipt.record_id) };
    }
  }
}

/**
 * Refuses an answer that rests on flagged receipts of the range which nobody has decided about.
 * @throws Problem asset_decisions_required with their number
 */
export function requireDecided(parameters: ValidParameters, dataset: Dataset, range: TimeRange): void {
  let pending = 0;
  for (const { decision } of reviewedReceipts(parameters, dataset, range)) if (!decision) pending++;
  if (pending === 0) return;
  const count = pending === 1 ? '1 flagged receipt needs' : `${pending} flagged receipts need`;
  throw new Problem(
    'asset_decisions_required',
    `${count} a decision: give asset_decisions for the record_ids that /api/tax/v1/asset-review lists`,
    { pending },
  );
}

/** The parameters without decisions about what is no flagged receipt of these wallets: such record ids are ignored (R7). */
export function withKnownDecisions(parameters: ValidParameters, dataset: Dataset): ValidParameters {
  const { addresses, decisions } = parameters;
  if (decisions.assets.size === 0) return parameters;
  const flagged = new Set(addresses.flatMap((address) => dataset.flagged(address).map((receipt) => receipt.record_id)));
  const assets = new Map([...decisions.assets].filter(([id]) => flagged.has(id)));
  return { ...parameters, decisions: { ...decisions, assets } };
}
