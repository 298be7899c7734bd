import type { PricedEvent } from '../../../schemas/types.generated.js';
import { pointer } from '../../json/exact-json.js';
import type { Rules } from '../rules.js';
import { appliedTreatment } from '../treatment.js';
import type { Issue, Steps } from './issues.js';
import { EVERY_DENOM, type GivenTag, type Tags, tagOf } from './tags.js';

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
export function* reportTags(events: Iterable<PricedEvent>, tags: Tags, rules: Rules): Steps<TagReport> {
  const found = new Map<GivenTag, Set<string>>();
  const misfits = new Set<GivenTag>();
  const outdone = new Set<GivenTag>();
  for (const event of events) {
    yield;
    for (const { given, taken } of namedSides(event, tags, rules)) {
      if (taken) found.set(given, (found.get(given) ?? new Set<string>()).add(event.id));
      else misfits.add(given);
    }
    for (const given of outdoneOn(event, tags, rules)) outdone.add(given);
  }
  const reached: ReachedRows[] = [];
  for (const ofDenoms of tags.values()) {
    yield;
    for (const given of ofDenoms.values())
      reached.push({ key: given.key, tag: given.tag.tag, rows: [...(found.get(given) ?? [])] });
  }
  return {
    reached,
    issues: [...misfits].filter((given) => !found.has(given) && !outdone.has(given)).map(misfit),
  };
}

interface NamedSide {
  readonly given: GivenTag;
  readonly taken: boolean;
}

/** Returns the tag on each leg of a row, and whether the leg accepts it. */
function namedSides(event: PricedEvent, tags: Tags, rules: Rules): NamedSide[] {
  const category = rules.category(event.category);
  const named = (denom: string | null, taken: boolean): NamedSide[] => {
    const given = denom === null ? undefined : tagOf(tags, event, denom, category);
    return given ? [{ given, taken }] : [];
  };
  return [
    ...named(event.received_denom, appliedTreatment(event, 'in', tags, rules)?.tag != null),
    ...named(event.sent_denom, appliedTreatment(event, 'out', tags, rules)?.tag != null),
    ...named(event.fee_denom, false),
  ];
}

/** Returns transaction tags that the row would accept if no narrower key overrode them. */
function outdoneOn(event: PricedEvent, tags: Tags, rules: Rules): GivenTag[] {
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
      ? 'no row that it names takes a tag'
      : `${tag.tag} is for what is ${tag.in ? 'received' : 'sent'}: no row that it names takes it`,
});
