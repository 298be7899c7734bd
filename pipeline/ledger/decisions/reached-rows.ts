/** The rows that each tag of a request reached, and the tags that fit none of the rows that they name (R6). */

import type { PricedEvent } from '../../../schemas/types.generated.js';
import { pointer } from '../../json/exact-json.js';
import type { Rules } from '../rules.js';
import { appliedTreatment } from '../treatment.js';
import type { Issue, Steps } from './issues.js';
import { EVERY_DENOM, type GivenTag, type Tags, tagOf } from './tags.js';

/** A tag of the request with the ids of the rows that it reached; none where it was passed over. */
export interface ReachedRows {
  readonly key: string;
  readonly tag: string;
  readonly rows: readonly string[];
}

export interface TagReport {
  readonly reached: readonly ReachedRows[];
  /** Faults with JSON pointers below the tags. */
  readonly issues: readonly Issue[];
}

/**
 * Holds tags against rows, row by row. A hash may name an in-row and an out-row, and one that takes the tag is enough, also where a
 * narrower key says otherwise of it. A tag that names no row which a tag of its kind can reach is no fault: it is passed over, and has
 * no rows here.
 * @param events rows of all wallets asked for; those that no tag may name may be left out
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

/** The sides of a row that a tag names, and whether they take it; a fee never does. */
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

/** The tags of a row's transaction that the row would take, were there not a narrower key. */
function outdoneOn(event: PricedEvent, tags: Tags, rules: Rules): GivenTag[] {
  const ofTransaction = tags.get(event.tx_hash);
  if (!ofTransaction || (ofTransaction.size === 1 && !tags.has(event.id))) return [];
  const takes = (denom: string, given: GivenTag) => {
    const alone = new Map([[event.tx_hash, new Map([[denom, given]])]]);
    return (['in', 'out'] as const).some((direction) => appliedTreatment(event, direction, alone, rules)?.tag);
  };
  const denoms = [EVERY_DENOM, event.received_denom, event.sent_denom].filter((denom) => denom !== null);
  return [...new Set(denoms)].flatMap((denom) => {
    const given = ofTransaction.get(denom); // a tag with another denom is none that the row could take
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
