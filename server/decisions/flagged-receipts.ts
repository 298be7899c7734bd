/** Flagged receipts of wallets, and the check of a decision about one (decision "Flagged receipts"). */
import { type AssetDecision, decisionIssues, type Issue } from '../../pipeline/ledger/decisions/decisions.js';
import type { FlaggedReceipt } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';

/** The flagged receipts of all wallets, wallet by wallet as asked, each in the chain's order; stops after each wallet. */
export function* flaggedReceipts(
  addresses: readonly string[],
  dataset: Dataset,
): Generator<undefined, FlaggedReceipt[], undefined> {
  const receipts: FlaggedReceipt[] = [];
  for (const address of addresses) {
    for (const receipt of dataset.flagged(address)) receipts.push(receipt);
    yield;
  }
  return receipts;
}

/** Holds a decision against its receipt. @returns faults with JSON pointers below the asset decisions */
export function receiptIssues(receipt: FlaggedReceipt, decision: AssetDecision, { reference }: Dataset): Issue[] {
  const { record_id: id, time, denom, quantity } = receipt;
  return decisionIssues({ id, time, received_denom: denom, received_amount: quantity }, decision, reference.rules);
}
