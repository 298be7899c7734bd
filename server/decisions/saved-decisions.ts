/** Saved decisions: what accounts have decided about flagged receipts of wallets (decision "Flagged receipts"). */
import {
  type AssetDecision,
  type AssetDecisions,
  decisionIssues,
  type Issue,
  parseAssetDecisions,
} from '../../pipeline/ledger/decisions/decisions.js';
import type { FlaggedReceipt, NewSavedDecisions, SavedDecisions } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { invalidBody } from '../parameters/faults.js';
import type { FieldError } from '../problem.js';
import type { Queries } from '../store/store.js';

/** The decisions as sent: record id to decision, every value a text. */
type Given = NewSavedDecisions['decisions'];

/** A row of the table saved_decisions. */
interface Row {
  readonly address: string;
  readonly decisions: Given;
  readonly saved_at: Date;
}

/** The account whose decisions these are, and the wallet that they are about. */
interface Owner {
  readonly account: string;
  readonly address: string;
}

const describe = ({ saved_at, ...row }: Row): SavedDecisions => ({ ...row, saved_at: saved_at.toISOString() });

export async function findDecisions(store: Queries, { account, address }: Owner): Promise<SavedDecisions> {
  const [row] = await store.query<Row>('saved-decisions/find', { account, addresses: [address] });
  return row ? describe(row) : { address, decisions: {}, saved_at: null };
}

/** Saves decisions in place of all that the account has saved about the address. */
export async function replaceDecisions(
  store: Queries,
  { account, address }: Owner,
  decisions: Given,
  now: Date,
): Promise<SavedDecisions> {
  const [row] = await store.query<Row>('saved-decisions/replace', { account, address, decisions, now });
  return describe(row!);
}

export async function removeDecisions(store: Queries, { account, address }: Owner): Promise<void> {
  await store.query('saved-decisions/remove', { account, address });
}

/** Reads what is to be saved. @throws Problem validation_failed with a pointer to each fault */
export function readDecisions(decisions: Given): AssetDecisions {
  const parsed = parseAssetDecisions(decisions);
  if ('errors' in parsed) throw invalidBody(parsed.errors.map(belowDecisions));
  return parsed.value;
}

/** Holds a decision against its receipt. @returns faults with JSON pointers below the asset decisions */
export function receiptIssues(receipt: FlaggedReceipt, decision: AssetDecision, { reference }: Dataset): Issue[] {
  const { record_id: id, time, denom, quantity } = receipt;
  return decisionIssues({ id, time, received_denom: denom, received_amount: quantity }, decision, reference.rules);
}

/** Requires decisions that fit their receipts; those about no flagged receipt fit. @throws Problem validation_failed */
export function requireFitting(address: string, assets: AssetDecisions, dataset: Dataset): void {
  const misfits = dataset.flagged(address).flatMap((receipt) => {
    const decision = assets.get(receipt.record_id);
    return decision ? receiptIssues(receipt, decision, dataset) : [];
  });
  if (misfits.length > 0) throw invalidBody(misfits.map(belowDecisions));
}

const belowDecisions = ({ path, message }: FieldError): FieldError => ({ path: `decisions${path}`, message });

/**
 * Finds the decisions that the account has saved about these receipts, each under the address of its wallet. A decision that this
 * program cannot read any more, or that does not fit its receipt since another dataset is served, decides nothing: the caller, who
 * did not send it, is asked again.
 */
export async function findFittingDecisions(
  store: Queries,
  account: string,
  receipts: readonly FlaggedReceipt[],
  dataset: Dataset,
): Promise<AssetDecisions> {
  const addresses = [...new Set(receipts.map(({ address }) => address))];
  const rows = await store.query<Row>('saved-decisions/find', { account, addresses });
  const saved = new Map(rows.map(({ address, decisions }) => [address, parseAssetDecisions(decisions)]));
  const fitting = new Map<string, AssetDecision>();
  for (const receipt of receipts) {
    const parsed = saved.get(receipt.address);
    const decision = parsed && 'value' in parsed ? parsed.value.get(receipt.record_id) : undefined;
    if (decision && receiptIssues(receipt, decision, dataset).length === 0) fitting.set(receipt.record_id, decision);
  }
  return fitting;
}
