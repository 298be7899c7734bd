import type { PricedEvent } from '../../../schemas/types.generated.js';
import { pointer } from '../../json/exact-json.js';
import type { Rules } from '../rules.js';
import { type AssetDecision, type AssetDecisions, overriddenCoin, type ReceivedCoin } from './asset-decisions.js';
import type { Issue } from './issues.js';
import type { Tags } from './tags.js';

export {
  type AssetDecision,
  type AssetDecisions,
  type Exclusion,
  type Override,
  overriddenCoin,
  parseAssetDecisions,
} from './asset-decisions.js';
export type { Issue, Parsed } from './issues.js';
export { parseTags, type Tags } from './tags.js';

export interface Decisions {
  readonly tags: Tags;
  readonly assets: AssetDecisions;
}

export const noDecisions: Decisions = { tags: new Map(), assets: new Map() };

/**
 * Checks a decision's acquired date and decimal places against its receipt. Errors have JSON pointers relative to
 * `asset_decisions`.
 */
export function decisionIssues(
  receipt: ReceivedCoin & Pick<PricedEvent, 'id' | 'time'>,
  decision: AssetDecision,
  rules: Rules,
): Issue[] {
  if (decision.mode !== 'override') return [];
  const issues: Issue[] = [];
  const day = receipt.time.slice(0, 10);
  if (decision.acquired_date !== undefined && decision.acquired_date > day)
    issues.push({ path: pointer(receipt.id, 'acquired_date'), message: `is after the receipt of ${day}` });
  try {
    overriddenCoin(receipt, decision, rules);
  } catch (fault) {
    issues.push({ path: pointer(receipt.id, 'quantity'), message: (fault as RangeError).message });
  }
  return issues;
}
