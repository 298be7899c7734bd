/** Decisions about many receipts at once, and about rows that are not flagged (decision R7). */
import { pointer } from '../../../pipeline/base/json/exact-json.js';
import {
  type AssetDecision,
  type AssetDecisions,
  decisionIssues,
  type Issue,
  mayMakeLot,
  type Override,
} from '../../../pipeline/ledger/decisions.js';
import type { FlaggedReceipt, PricedEvent } from '../../../schemas/types.generated.js';
import { type Dataset, rowsWhere } from '../dataset/dataset.js';

/** Returns the bulk decision for a receipt: for its sender, else its reason, else all receipts. */
export function decisionForMany(assets: AssetDecisions, receipt: FlaggedReceipt): AssetDecision | undefined {
  if (assets.size === 0) return undefined;
  return assets.get(`*:${receipt.sender ?? ''}`) ?? assets.get(`*:${receipt.reason}`) ?? assets.get('*');
}

/** If the user states that another token was received, adds that token's price on the receipt's day. */
export function withTokenPrice(
  decision: AssetDecision,
  { time, denom }: Pick<FlaggedReceipt, 'time' | 'denom'>,
  { reference, prices }: Dataset,
): AssetDecision {
  if (decision.mode !== 'override' || decision.token === undefined) return decision;
  const token = reference.rules.denomOf(decision.token) ?? decision.token;
  return token === denom ? decision : { ...decision, token_price: prices(token).get(time.slice(0, 10)) ?? null };
}

export function receiptIssues(receipt: FlaggedReceipt, decision: AssetDecision, { reference }: Dataset): Issue[] {
  const { record_id: id, time, denom, quantity } = receipt;
  return decisionIssues({ id, time, received_denom: denom, received_amount: quantity }, decision, reference.rules);
}

interface RowOverrides {
  /** Overrides by row id. They change only the cost basis, date and value. */
  readonly assets: AssetDecisions;
  readonly issues: readonly Issue[];
}

export function overridesOfRows(
  addresses: readonly string[],
  given: AssetDecisions,
  flagged: ReadonlySet<string>,
  dataset: Dataset,
): RowOverrides {
  const overrides = new Map<string, Override>();
  for (const [id, decision] of given) if (decision.mode === 'override' && !flagged.has(id)) overrides.set(id, decision);
  const assets = new Map<string, AssetDecision>();
  const issues: Issue[] = [];
  if (overrides.size === 0) return { assets, issues };
  for (const event of rowsWhere(addresses, dataset, ({ id }) => overrides.has(id))) {
    const override = overrides.get(event.id)!;
    const faults = rowIssues(event, override, dataset);
    issues.push(...faults);
    if (faults.length === 0) assets.set(event.id, { ...override, keepsTreatment: true });
  }
  return { assets, issues };
}

export function rowIssues(event: PricedEvent, decision: AssetDecision, { reference: { rules } }: Dataset): Issue[] {
  if (decision.mode !== 'override') return [];
  if (!mayMakeLot(event, rules)) return [{ path: pointer(event.id), message: 'the row creates no lot' }];
  const unflagged = (['token', 'quantity'] as const)
    .filter((member) => decision[member] !== undefined)
    .map((member) => ({ path: pointer(event.id, member), message: 'is only for flagged receipts' }));
  return unflagged.length > 0 ? unflagged : decisionIssues(event, decision, rules);
}
