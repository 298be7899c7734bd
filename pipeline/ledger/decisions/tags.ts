/**
 * Parses the caller's tags: `<row id>`, `<transaction hash>` or `<transaction hash>:<denom>` → a tag of
 * data/reference/tags.json (R6).
 */
import type { Category, Tag } from '../../../schemas/types.generated.js';
import { isRecord, pointer } from '../../json/exact-json.js';
import type { Rules } from '../rules.js';
import { ISSUES_MAX, type Issue, type Parsed, type Steps } from './issues.js';

export interface GivenTag {
  readonly tag: Tag;
  readonly key: string;
}

/** Tags by row id or transaction (upper-case hash or `block:<height>`), then by denom. */
export type Tags = ReadonlyMap<string, ReadonlyMap<string, GivenTag>>;

export const EVERY_DENOM = '';

/**
 * Finds the tag for a denom of a row. The row id wins over hash:denom, which wins over the bare hash. A hash does not
 * apply to every category (data/reference/categories.json).
 */
export function tagOf(
  tags: Tags,
  row: { readonly id: string; readonly tx_hash: string },
  denom: string,
  { reached_by_hash: isReached }: Pick<Category, 'reached_by_hash'>,
): GivenTag | undefined {
  if (tags.size === 0) return undefined;
  const own = tags.get(row.id)?.get(EVERY_DENOM);
  if (own || isReached === false) return own;
  const given = tags.get(row.tx_hash);
  return given && (given.get(denom) ?? given.get(EVERY_DENOM));
}

export const isNamed = (tags: Tags, { id, tx_hash }: { readonly id: string; readonly tx_hash: string }): boolean =>
  tags.has(tx_hash) || tags.has(id);

/** A transaction hash or block:<height>, optionally followed by :<denom>. */
const KEY = /^(?:([0-9a-f]{64})|(block:(?:0|[1-9]\d*)))(?::([a-z][a-z0-9/:._-]{1,127}))?$/i;

/** `<height>-<position in the block>`. */
const ROW_ID = /^(?:0|[1-9]\d*)-[0-9A-Za-z-]+$/;

/** Parses `tags`, one tag per step. Errors have JSON pointers relative to the value. */
export function* parseTags(value: unknown, rules: Rules): Steps<Parsed<Tags>> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object of transaction hash → tag' }] };
  const errors: Issue[] = [];
  const tags = new Map<string, Map<string, GivenTag>>();
  for (const [key, name] of Object.entries(value)) {
    if (errors.length >= ISSUES_MAX) break;
    yield;
    const refuse = (message: string) => errors.push({ path: pointer(key), message });
    const named = readKey(key);
    if (!named) {
      refuse(
        "the key must be a row's id, or a transaction hash of 64 hex digits or block:<height>, then :<denom> if the tag is for one",
      );
      continue;
    }
    const { name: of, denom } = named;
    const tag = typeof name === 'string' ? rules.tag(name) : undefined;
    const given = tags.get(of) ?? new Map<string, GivenTag>();
    if (!tag) refuse(`must be one of ${rules.tags.map((known) => known.tag).join(', ')}`);
    else if (given.has(denom)) refuse('the same transaction and denom is tagged twice');
    else tags.set(of, given.set(denom, { tag, key }));
  }
  return errors.length > 0 ? { errors } : { value: tags };
}

function readKey(key: string): { name: string; denom: string } | undefined {
  if (ROW_ID.test(key)) return { name: key, denom: EVERY_DENOM };
  const match = KEY.exec(key);
  if (!match || (match[2] !== undefined && !key.startsWith('block:'))) return undefined;
  return { name: match[1]?.toUpperCase() ?? match[2]!, denom: match[3] ?? EVERY_DENOM };
}
