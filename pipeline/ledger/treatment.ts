/** Selects the treatment of a leg: the category's, or a tag's for that direction. incoming.ts applies asset decisions. */
import type { PricedEvent, Tag, Treatment } from '../../schemas/types.generated.js';
import { type AssetDecisions, type Exclusion, isNamed, type Override, type Tags, tagOf } from './decisions.js';
import type { Rules } from './rules.js';

export type Direction = 'in' | 'out';

export interface Applied {
  readonly treatment: Treatment;
  readonly tag: Tag | null;
}

function treatmentOf(event: PricedEvent, direction: Direction, rules: Rules): Treatment | undefined {
  const category = rules.category(event.category);
  if (direction === 'in') return category.in;
  return event.to_own_key ? (category.out_to_own_key ?? category.out) : category.out;
}

/** A tag wins over the category. Fees, burned deposits, staking, moves and swaps accept no tag. */
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

/** Checks whether the received coins may create a lot whose cost the owner can state. */
export const mayMakeLot = (event: PricedEvent, rules: Rules): boolean =>
  event.received_denom !== null &&
  (treatmentOf(event, 'in', rules) !== undefined || rules.category(event.category).effect === 'swap');

export const isDecided = (
  { tags, assets }: { readonly tags: Tags; readonly assets: AssetDecisions },
  row: Pick<PricedEvent, 'id' | 'tx_hash'>,
): boolean => isNamed(tags, row) || assets.has(row.id);

/** Mode `keep` changes nothing. */
export function decisionOf(assets: AssetDecisions, event: PricedEvent): Exclusion | Override | undefined {
  const decision = assets.size === 0 ? undefined : assets.get(event.id);
  return decision?.mode === 'keep' ? undefined : decision;
}
