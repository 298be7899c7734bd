/** What a caller says about rows of a wallet, beside the chain: tags and asset decisions. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { overriddenCoin, type ReceivedCoin } from '../receipt.js';
import type { Rules } from '../rules.js';
import { appliedTreatment } from '../treatment.js';
import type { AssetDecision, AssetDecisions } from './asset-decisions.js';
import { type Issue, pointer } from './issues.js';
import { type GivenTag, type Tags, tagOf } from './tags.js';

export { type AssetDecision, type AssetDecisions, parseAssetDecisions } from './asset-decisions.js';
export type { Issue, Parsed } from './issues.js';
export { parseTags, type Tags } from './tags.js';

export interface Decisions {
  readonly tags: Tags;
  /** By id of the receipt's row. */
  readonly assets: AssetDecisions;
}

export const noDecisions: Decisions = { tags: new Map(), assets: new Map() };

/** Faults with JSON pointers below the tags and below the asset decisions. */
export interface DecisionIssues {
  readonly tags: readonly Issue[];
  readonly assets: readonly Issue[];
}

/**
 * Finds what only the rows can tell: a tag that fits no row of its transaction (a hash may name an in-row and an out-row: one
 * of them is enough), an acquired date after the receipt, a quantity with more places than its token has. What names no row
 * at all is no fault. Both lists are empty when the decisions may be replayed.
 * @param events rows of all wallets asked for
 */
export function checkDecisions(events: Iterable<PricedEvent>, decisions: Decisions, rules: Rules): DecisionIssues {
  const fits = new Map<GivenTag, boolean>();
  const assets: Issue[] = [];
  if (decisions.tags.size === 0 && decisions.assets.size === 0) return { tags: [], assets };
  for (const event of events) {
    noteTags(event, decisions, rules, fits);
    const decision = decisions.assets.get(event.id);
    if (decision && event.received_denom !== null) assets.push(...decisionIssues(event, decision, rules));
  }
  const tags = [...fits].filter(([, fitting]) => !fitting);
  return {
    tags: tags.map(([{ tag, key }]) => ({
      path: pointer(key),
      message: `${tag.tag} is for ${directions(tag)}: no row of this transaction that takes a tag is`,
    })),
    assets,
  };
}

/** Notes each tag that names a side of the row, and whether the row takes it. */
function noteTags(event: PricedEvent, decisions: Decisions, rules: Rules, fits: Map<GivenTag, boolean>): void {
  const note = (denom: string | null, taken: boolean) => {
    const given = denom === null ? undefined : tagOf(decisions.tags, event.tx_hash, denom);
    if (given) fits.set(given, taken || fits.get(given) === true);
  };
  for (const direction of ['in', 'out'] as const) {
    const applied = appliedTreatment(event, direction, decisions.tags, rules);
    note(direction === 'in' ? event.received_denom : event.sent_denom, applied?.tag != null);
  }
  note(event.fee_denom, false);
}

const directions = (tag: GivenTag['tag']) =>
  [...(tag.in ? ['what is received'] : []), ...(tag.out ? ['what is sent'] : [])].join(' and ');

/**
 * What the receipt says against a decision about it.
 * @returns faults with JSON pointers below the asset decisions
 */
export function decisionIssues(
  receipt: ReceivedCoin & Pick<PricedEvent, 'id' | 'time'>,
  decision: AssetDecision,
  rules: Rules,
): Issue[] {
  if (decision.mode === 'exclude') return [];
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

/** The asset decision about what a row received, if any. */
export function decisionOf(decisions: Decisions, event: PricedEvent): AssetDecision | undefined {
  return decisions.assets.size === 0 ? undefined : decisions.assets.get(event.id);
}

/** Whether anything is said about the row or its transaction. */
export function isDecided(event: PricedEvent, decisions: Decisions): boolean {
  return decisions.tags.has(event.tx_hash) || decisionOf(decisions, event) !== undefined;
}
