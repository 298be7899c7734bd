/** Decisions: what a caller says about rows of a wallet, beside the chain, in tags and asset decisions. */
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
  /** Asset decisions by the id of the receipt's row. */
  readonly assets: AssetDecisions;
}

export const noDecisions: Decisions = { tags: new Map(), assets: new Map() };

/**
 * Finds the tags that fit no row of their transaction; a hash may name an in-row and an out-row, and one of them is enough. A tag
 * that names no row at all is no fault.
 * @param events rows of all wallets asked for; those of transactions without a tag may be left out
 * @returns faults with JSON pointers below the tags
 */
export function tagIssues(events: Iterable<PricedEvent>, tags: Tags, rules: Rules): Issue[] {
  const fits = new Map<GivenTag, boolean>();
  for (const event of events) noteTags(event, tags, rules, fits);
  const misfits = [...fits].filter(([, fitting]) => !fitting);
  return misfits.map(([{ tag, key }]) => ({
    path: pointer(key),
    message: `${tag.tag} is for ${directions(tag)}: no row of this transaction that takes a tag is`,
  }));
}

/** Notes each tag that names a side of the row, and whether the row takes it. */
function noteTags(event: PricedEvent, tags: Tags, rules: Rules, fits: Map<GivenTag, boolean>): void {
  const note = (denom: string | null, taken: boolean) => {
    const given = denom === null ? undefined : tagOf(tags, event.tx_hash, denom);
    if (given) fits.set(given, taken || fits.get(given) === true);
  };
  for (const direction of ['in', 'out'] as const) {
    const applied = appliedTreatment(event, direction, tags, rules);
    note(direction === 'in' ? event.received_denom : event.sent_denom, applied?.tag != null);
  }
  note(event.fee_denom, false);
}

const directions = (tag: GivenTag['tag']) =>
  [...(tag.in ? ['what is received'] : []), ...(tag.out ? ['what is sent'] : [])].join(' and ');

/**
 * Finds what only the receipt can tell of a decision: an acquired date after it, a quantity with more places than its token has.
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
