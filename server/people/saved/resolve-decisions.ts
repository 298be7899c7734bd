/**
 * Combines the request's decisions with the account's saved ones, and checks them against the dataset (decisions R6,
 * R7, A12, "Flagged receipts"). A receipt is flagged if the user must decide its tax treatment.
 */
import {
  type AssetDecision,
  type AssetDecisions,
  type Decisions,
  type Issue,
  isNamed,
  noDecisions,
  reportTags,
  type TagReport,
  type Tags,
} from '../../../pipeline/ledger/decisions.js';
import type { FlaggedReceipt } from '../../../schemas/types.generated.js';
import { Problem } from '../../http/problem.js';
import { type Dataset, rowsWhere } from '../../tax/dataset/dataset.js';
import { decisionForMany, overridesOfRows, receiptIssues, withTokenPrice } from '../../tax/decisions/row-decisions.js';
import { type ParameterFault, refusal } from '../../tax/parameters/faults.js';
import type { ParameterName, ValidParameters } from '../../tax/parameters/parameters.js';
import { isInRange, type TimeRange } from '../../tax/parameters/time-range.js';
import type { Queries } from '../store/store.js';
import { findSavedDecisions, findSavedLots, lotIssues } from './saved-entries.js';

export interface DecisionRule {
  period(parameters: ValidParameters): TimeRange;
  readonly saved: boolean;
  /** Whether undecided receipts cause an error or are listed in the response. */
  readonly undecided: 'refused' | 'listed';
}

interface Sources {
  readonly dataset: Dataset;
  readonly store: Queries;
  /** Undefined if the request has no session or key with the scope tax:read. */
  readonly account: string | undefined;
}

interface ResolvedDecisions {
  readonly decisions: Decisions;
  readonly tagged: TagReport['reached'];
  readonly pending: number;
  readonly issues: readonly ParameterFault[];
}

/**
 * Returns the parameters with all decisions that apply.
 * @throws Problem with a pointer to each invalid decision, or else asset_decisions_required with the number of missing
 * ones
 */
export async function withResolvedDecisions(
  parameters: ValidParameters,
  rule: DecisionRule,
  { dataset, store, account }: Sources,
): Promise<ValidParameters> {
  const { addresses, source, takesSavedLots } = parameters;
  const saved = account === undefined ? NONE_SAVED : await findSavedDecisions(store, account, addresses);
  const { decisions, tagged, pending, issues } = resolveDecisions(parameters, rule, saved, dataset);
  if (issues.length > 0) throw refusal(source, issues);
  if (pending > 0 && rule.undecided === 'refused') throw undecided(pending);
  const lots =
    takesSavedLots && account !== undefined ? await findSavedLots(store, account, addresses, dataset) : undefined;
  // Responses that depend on saved entries must not be cached for other callers.
  const personal = parameters.personal || saved.size > 0 || lots !== undefined;
  return { ...parameters, decisions, tagged, ...(lots && { openingLots: lots, savedLots: lots.length }), personal };
}

/** Returns flagged receipts by wallet, in chain order. */
export const flaggedReceipts = (addresses: readonly string[], dataset: Dataset): FlaggedReceipt[] =>
  addresses.flatMap((address) => dataset.flagged(address));

/**
 * Finds the decision for each flagged receipt. Its own decision overrides a bulk decision; at both levels, the request
 * overrides saved ones. A saved decision that no longer fits the dataset is ignored.
 */
function resolveDecisions(
  parameters: ValidParameters,
  rule: DecisionRule,
  saved: ReadonlyMap<string, AssetDecisions>,
  dataset: Dataset,
): ResolvedDecisions {
  const { addresses, decisions: sent, openingLots } = parameters;
  const receipts = flaggedReceipts(addresses, dataset);
  const tags = checkTags(addresses, sent.tags, dataset);
  const issues = tags.issues.map(below('tags'));
  const period = rule.period(parameters);
  const assets = new Map<string, AssetDecision>();
  let pending = 0;
  for (const receipt of receipts) {
    const given = sent.assets.get(receipt.record_id);
    const own = (rule.saved && saved.get(receipt.address)) || noDecisions.assets;
    const decision =
      given ?? fitting(receipt, own, dataset) ?? decisionForMany(sent.assets, receipt) ?? decisionForMany(own, receipt);
    if (decision) assets.set(receipt.record_id, withTokenPrice(decision, receipt, dataset));
    else if (isInRange(receipt.time, period)) pending++;
    if (given) issues.push(...receiptIssues(receipt, given, dataset).map(below('asset_decisions')));
  }
  const flagged = new Set(receipts.map(({ record_id }) => record_id));
  for (const [address, own] of saved) {
    const overrides = overridesOfRows([address], own, flagged, dataset);
    for (const [id, override] of overrides.assets) assets.set(id, override);
  }
  if (sent.assets.size > 0) {
    const overrides = overridesOfRows(addresses, sent.assets, flagged, dataset);
    for (const [id, override] of overrides.assets) assets.set(id, override);
    issues.push(...overrides.issues.map(below('asset_decisions')));
  }
  if (openingLots.length > 0) issues.push(...lotIssues(openingLots, addresses, dataset).map(below('opening_lots')));
  return { decisions: { tags: sent.tags, assets }, tagged: tags.reached, pending, issues };
}

const NONE_SAVED: ReadonlyMap<string, AssetDecisions> = new Map();

function fitting(receipt: FlaggedReceipt, own: AssetDecisions, dataset: Dataset): AssetDecision | undefined {
  const decision = own.get(receipt.record_id);
  return decision && receiptIssues(receipt, decision, dataset).length === 0 ? decision : undefined;
}

const below =
  (name: ParameterName) =>
  (issue: Issue): ParameterFault => ({ name, ...issue });

function undecided(pending: number): Problem {
  const count = pending === 1 ? '1 flagged receipt needs' : `${pending} flagged receipts need`;
  return new Problem(
    'asset_decisions_required',
    `${count} a decision: give asset_decisions for the record_ids that /api/tax/v1/asset-review lists`,
    { pending },
  );
}

/**
 * Finds the rows that each tag applies to (decision R6). Includes rows outside the requested range, because tags change
 * lots.
 */
function checkTags(addresses: readonly string[], tags: Tags, dataset: Dataset): TagReport {
  const named = tags.size === 0 ? [] : rowsWhere(addresses, dataset, (row) => isNamed(tags, row));
  return reportTags(named, tags, dataset.reference.rules);
}
