/** The caller's bookkeeping tags: `<transaction hash>` or `<transaction hash>:<denom>` → a tag of data/reference/tags.json (R6). */
import type { Tag } from '../../../schemas/types.generated.js';
import type { Rules } from '../rules.js';
import { type Issue, isRecord, type Parsed, pointer } from './issues.js';

export interface GivenTag {
  readonly tag: Tag;
  /** The key as the caller wrote it. */
  readonly key: string;
}

/** Tags by transaction (hash in upper case, or `block:<height>`), then by denom; EVERY_DENOM is for those without one of their own. */
export type Tags = ReadonlyMap<string, ReadonlyMap<string, GivenTag>>;

export const EVERY_DENOM = '';

/** The tag on that denom of a transaction: the key with the denom wins over the bare hash. */
export function tagOf(tags: Tags, txHash: string, denom: string): GivenTag | undefined {
  const given = tags.get(txHash);
  return given && (given.get(denom) ?? given.get(EVERY_DENOM));
}

/** A hash, or the name of a block's own rows; then a denom as the SDK allows it, which may hold colons and slashes. */
const KEY = /^(?:([0-9a-f]{64})|(block:(?:0|[1-9]\d*)))(?::([a-z][a-z0-9/:._-]{1,127}))?$/i;

/**
 * Reads the value of the parameter `tags`.
 * @param value parsed JSON
 * @returns the tags, or what is wrong with JSON pointers below the value
 */
export function parseTags(value: unknown, rules: Rules): Parsed<Tags> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object of transaction hash → tag' }] };
  const errors: Issue[] = [];
  const tags = new Map<string, Map<string, GivenTag>>();
  for (const [key, name] of Object.entries(value)) {
    const match = KEY.exec(key);
    const refuse = (message: string) => errors.push({ path: pointer(key), message });
    if (!match || (match[2] !== undefined && !key.startsWith('block:'))) {
      refuse(
        'the key must be a transaction hash of 64 hex digits or block:<height>, then :<denom> if the tag is for one',
      );
      continue;
    }
    const hash = match[1]?.toUpperCase() ?? match[2]!;
    const denom = match[3] ?? EVERY_DENOM;
    const tag = typeof name === 'string' ? rules.tag(name) : undefined;
    const ofTransaction = tags.get(hash) ?? new Map<string, GivenTag>();
    if (!tag) refuse(`must be one of ${rules.tags.map((known) => known.tag).join(', ')}`);
    else if (ofTransaction.has(denom)) refuse('the same transaction and denom is tagged twice');
    else tags.set(hash, ofTransaction.set(denom, { tag, key }));
  }
  return errors.length > 0 ? { errors } : { value: tags };
}
