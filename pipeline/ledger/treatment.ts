/**
 * The treatment of a leg of a row. The row's category has one of its own for what arrives and one for what leaves; a
 * tag replaces it where it has one for that direction; an asset decision replaces it for what arrives (see receipt.ts).
 */
import type { PricedEvent, Tag, Treatment } from '../../schemas/types.generated.js';
import type { AssetDecisions, Exclusion, Override } from './decisions/asset-decisions.js';
import { isNamed, type Tags, tagOf } from './decisions/tags.js';
import type { Rules } from './rules.js';

/** The side of a row: what arrived, or what left. */
export type Direction = 'in' | 'out';

/** The treatment of one leg, and the tag that put it there. */
export interface Applied {
  readonly treatment: Treatment;
  readonly tag: Tag | null;
}

/** The category's treatment of a leg, or undefined where nothing of it touches the lots. */
function treatmentOf(event: PricedEvent, direction: Direction, rules: Rules): Treatment | undefined {
  const category = rules.category(event.category);
  if (direction === 'in') return category.in;
  return event.to_own_key ? (category.out_to_own_key ?? category.out) : category.out;
}

/**
 * The treatment of one side of a row: tag over category. A side that has no treatment of its own (stake, moves, swaps), the fee, and
 * a deposit that was burned, whose coins had left before, take no tag.
 */
export function appliedTreatment(
  event: PricedEvent,
  direction: Direction,
  tags: Tags,
  rules: Rules,
): Applied | undefined {
  const denom = direction === 'in' ? event.received_denom : event.sent_denom;
  const category = rules.category(event.category);
  const own = treatmentOf(event, direction, rules);
  if (denom === null || !own) return undefined;
  const tag = tagOf(tags, event, denom, category)?.tag;
  const tagged = own.act === 'burn-deposit' ? undefined : tag?.[direction];
  return tagged ? { treatment: tagged, tag: tag! } : { treatment: own, tag: null };
}

/** Tells whether what the row received may make a lot, so that an owner can say what it cost: not stake, nor shares of one's own stake. */
export const mayMakeLot = (event: PricedEvent, rules: Rules): boolean =>
  event.received_denom !== null &&
  (treatmentOf(event, 'in', rules) !== undefined || rules.category(event.category).effect === 'swap');

/** Tells whether a tag or an asset decision may be about the row. */
export const isDecided = (
  { tags, assets }: { readonly tags: Tags; readonly assets: AssetDecisions },
  row: Pick<PricedEvent, 'id' | 'tx_hash'>,
): boolean => isNamed(tags, row) || assets.has(row.id);

/** The asset decision that stands over the treatment of what a row received, if any; one that keeps a receipt leaves it as it is. */
export function decisionOf(assets: AssetDecisions, event: PricedEvent): Exclusion | Override | undefined {
  const decision = assets.size === 0 ? undefined : assets.get(event.id);
  return decision?.mode === 'keep' ? undefined : decision;
}
