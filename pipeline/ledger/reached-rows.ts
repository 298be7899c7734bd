import type { PricedEvent } from '../../schemas/types.generated.js';
import { pointer } from '../base/json/exact-json.js';
import { EVERY_DENOM, type GivenTag, type Issue, type Tags, tagOf } from './decisions.js';
import type { Rules } from './rules.js';
import { appliedTreatment } from './treatment.js';

/** `rows` is empty if the tag was ignored. */
export interface ReachedRows {
  readonly key: string;
  readonly tag: string;
  readonly rows: readonly string[];
}

export interface TagReport {
  readonly reached: readonly ReachedRows[];
  /** JSON pointers are relative to `tags`. */
  readonly issues: readonly Issue[];
}

/**
 * Reports which rows each tag applies to, and which tags fit none of their rows (R6). One row that accepts the tag is
 * enough, even if a narrower key overrides it there. A tag that matches no row is ignored.
 */
export function reportTags(events: Iterable<PricedEvent>, tags: Tags, rules: Rules): TagReport {
  const found = new Map<GivenTag, Set<string>>();
  const misfits = new Set<GivenTag>();
  const overridden = new Set<GivenTag>();
  for (const event of events) {
    for (const { given, accepted } of taggedLegs(event, tags, rules)) {
      if (accepted) found.set(given, (found.get(given) ?? new Set<string>()).add(event.id));
      else misfits.add(given);
    }
    for (const given of overriddenTags(event, tags, rules)) overridden.add(given);
  }
  const reached: ReachedRows[] = [];
  for (const ofDenoms of tags.values()) {
    for (const given of ofDenoms.values())
      reached.push({ key: given.key, tag: given.tag.tag, rows: [...(found.get(given) ?? [])] });
  }
  return {
    reached,
    issues: [...misfits].filter((given) => !found.has(given) && !overridden.has(given)).map(misfit),
  };
}

interface TaggedLeg {
  readonly given: GivenTag;
  readonly accepted: boolean;
}

function taggedLegs(event: PricedEvent, tags: Tags, rules: Rules): TaggedLeg[] {
  const category = rules.category(event.category);
  const named = (denom: string | null, accepted: boolean): TaggedLeg[] => {
    const given = denom === null ? undefined : tagOf(tags, event, denom, category);
    return given ? [{ given, accepted }] : [];
  };
  return [
    ...named(event.received_denom, appliedTreatment(event, 'in', tags, rules)?.tag != null),
    ...named(event.sent_denom, appliedTreatment(event, 'out', tags, rules)?.tag != null),
    ...named(event.fee_denom, false),
  ];
}

/** Returns transaction tags that the row would accept if no narrower key overrode them. */
function overriddenTags(event: PricedEvent, tags: Tags, rules: Rules): GivenTag[] {
  const ofTransaction = tags.get(event.tx_hash);
  if (!ofTransaction || (ofTransaction.size === 1 && !tags.has(event.id))) return [];
  const takes = (denom: string, given: GivenTag) => {
    const alone = new Map([[event.tx_hash, new Map([[denom, given]])]]);
    return (['in', 'out'] as const).some((direction) => appliedTreatment(event, direction, alone, rules)?.tag);
  };
  const denoms = [EVERY_DENOM, event.received_denom, event.sent_denom].filter((denom) => denom !== null);
  return [...new Set(denoms)].flatMap((denom) => {
    const given = ofTransaction.get(denom);
    return given && takes(denom, given) ? [given] : [];
  });
}

const misfit = ({ tag, key }: GivenTag): Issue => ({
  path: pointer(key),
  message:
    tag.in && tag.out
      ? 'none of its rows accepts a tag'
      : `${tag.tag} applies only to ${tag.in ? 'received' : 'sent'} coins: none of its rows accepts it`,
});
