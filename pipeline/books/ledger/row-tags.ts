/**
 * Finds the rows that tags apply to (decision R6). A key names a row by its id, or the rows of a transaction by hash. For
 * coins of one side of a row, the most specific key wins: row id, hash with denom, hash.
 *
 * A tag by hash applies to the rows that it fits. Two kinds of rows differ (`reached_by_hash` in
 * data/reference/categories.json): rewards, commission and redirected rewards only take it if it fits no other row of
 * the transaction in the wallet, and fees and losses never take it. Example: `gift` by hash reaches the transfer of a
 * transaction that also paid out a reward. `income` by hash reaches the reward of a plain claim.
 */
import type { PricedEvent, TaggedRows } from '../../../schemas/types.generated.js';
import { pointer } from '../../base/json/exact-json.js';
import { treatmentOf } from './decided-row.js';
import { type Direction, EVERY_DENOM, type GivenTag, type GivenTags, type Issue, type RowTags } from './decisions.js';
import type { Rules } from './rules.js';

export interface ResolvedTags {
  readonly tags: RowTags;
  /** One element for each key, in the order of the request. */
  readonly tagged: readonly TaggedRows[];
  /** Keys that fit none of their rows. */
  readonly issues: readonly Issue[];
}

export const isTagNamed = (tags: GivenTags, { id, tx_hash }: Pick<PricedEvent, 'id' | 'tx_hash'>): boolean =>
  tags.has(tx_hash) || tags.has(id);

/** The coins of a row that came in, went out, or were paid as a fee. */
interface Side {
  readonly row: PricedEvent;
  readonly direction: Direction | 'fee';
  readonly denom: string;
}

/** What became of a key. */
interface Outcome {
  readonly reached: Set<string>;
  /** Sides that the tag does not fit, with the reason; only the first ones. */
  readonly tried: string[];
  misfits: number;
  /** True if the tag fits a row that has a more specific key. */
  isOverridden: boolean;
}

/** Maximum number of rows that an error names. */
const TRIED_MAX = 5;

/** @param rows rows of wallets that the keys name; rows of a transaction and wallet need not be neighbors */
export function resolveTags(rows: Iterable<PricedEvent>, given: GivenTags, rules: Rules): ResolvedTags {
  const tags = new Map<string, { [Side in Direction]?: GivenTag['tag'] }>();
  const outcomes = new Map<GivenTag, Outcome>();
  const denoms = new Map<string, Set<string>>();
  for (const sides of sidesByTransaction(rows)) {
    const purposes = tagsOfOtherRows(sides, given, rules);
    for (const side of sides) {
      const { row, direction, denom } = side;
      for (const name of [row.id, row.tx_hash]) denoms.set(name, (denoms.get(name) ?? new Set()).add(denom));
      for (const [i, key] of keysOf(side, given).entries()) {
        const outcome = outcomes.get(key) ?? { reached: new Set(), tried: [], misfits: 0, isOverridden: false };
        outcomes.set(key, outcome);
        const reason = misfitOf(side, key, rules);
        if (reason !== undefined) noteMisfit(outcome, side, reason);
        else if (i > 0) outcome.isOverridden = true;
        else if (!purposes.has(key) || isById(key, row) || !isReward(row, rules)) {
          outcome.reached.add(row.id);
          tags.set(row.id, { ...tags.get(row.id), [direction]: key.tag });
        }
      }
    }
  }
  return { tags, ...report(given, outcomes, denoms, rules) };
}

function sidesByTransaction(rows: Iterable<PricedEvent>): Iterable<readonly Side[]> {
  const transactions = new Map<string, Side[]>();
  for (const row of rows) {
    const name = `${row.address} ${row.tx_hash}`;
    const sides = transactions.get(name) ?? [];
    transactions.set(name, sides);
    if (row.received_denom !== null) sides.push({ row, direction: 'in', denom: row.received_denom });
    if (row.sent_denom !== null) sides.push({ row, direction: 'out', denom: row.sent_denom });
    if (row.fee_denom !== null) sides.push({ row, direction: 'fee', denom: row.fee_denom });
  }
  return transactions.values();
}

/** Returns the tags by hash that fit a row other than a reward. */
function tagsOfOtherRows(sides: readonly Side[], given: GivenTags, rules: Rules): ReadonlySet<GivenTag> {
  const found = new Set<GivenTag>();
  for (const side of sides) {
    if (isReward(side.row, rules)) continue;
    for (const key of keysOf(side, given)) if (misfitOf(side, key, rules) === undefined) found.add(key);
  }
  return found;
}

const isReward = ({ category }: PricedEvent, rules: Rules) => rules.category(category).reached_by_hash === 'alone';

const isById = ({ key }: GivenTag, { id }: PricedEvent) => key === id;

/** Returns the keys that name a side, the most specific one first. */
function keysOf({ row, denom }: Side, given: GivenTags): GivenTag[] {
  const ofTransaction = given.get(row.tx_hash);
  const keys = [given.get(row.id)?.get(EVERY_DENOM), ofTransaction?.get(denom), ofTransaction?.get(EVERY_DENOM)];
  return keys.filter((key) => key !== undefined);
}

/** Returns why a tag does not fit a side; undefined if it fits. */
function misfitOf({ row, direction }: Side, key: GivenTag, rules: Rules): string | undefined {
  const treatment = direction === 'fee' ? undefined : treatmentOf(row, direction, rules);
  if (direction === 'fee' || !treatment || treatment.act === 'burn-deposit') return 'takes no tag';
  if (!isById(key, row) && rules.category(row.category).reached_by_hash === 'never') return 'is tagged only by its id';
  const { tag } = key;
  return tag[direction] ? undefined : `${tag.tag} is only for ${direction === 'in' ? 'sent' : 'received'} coins`;
}

function noteMisfit(outcome: Outcome, { row, denom }: Side, reason: string): void {
  outcome.misfits++;
  if (outcome.misfits <= TRIED_MAX) outcome.tried.push(`${row.category} of ${denom} (row ${row.id}: ${reason})`);
}

function report(
  given: GivenTags,
  outcomes: ReadonlyMap<GivenTag, Outcome>,
  denoms: ReadonlyMap<string, ReadonlySet<string>>,
  rules: Rules,
): Omit<ResolvedTags, 'tags'> {
  const tagged: TaggedRows[] = [];
  const issues: Issue[] = [];
  for (const [name, ofDenoms] of given) {
    for (const [denom, key] of ofDenoms) {
      const outcome = outcomes.get(key);
      const found = denoms.get(name);
      const rows = [...(outcome?.reached ?? [])];
      if (outcome && rows.length === 0 && !outcome.isOverridden) issues.push(misfitIssue(key, outcome));
      const reason = !found || rows.length > 0 ? undefined : outcome ? OVERRIDDEN : otherDenoms(denom, found, rules);
      tagged.push({ key: key.key, tag: key.tag.tag, rows, ...(reason !== undefined && { reason }) });
    }
  }
  return { tagged, issues };
}

const OVERRIDDEN = 'each row that the tag fits has a more specific key';

function otherDenoms(denom: string, found: ReadonlySet<string>, rules: Rules): string {
  const meant = [...found].find((other) => rules.denomination(other).symbol.toLowerCase() === denom.toLowerCase());
  if (meant !== undefined) return `${denom} is a symbol: the key takes the denom ${meant}`;
  return `its rows have no coins of ${denom}, only of ${[...found].join(', ')}`;
}

function misfitIssue({ tag, key }: GivenTag, { tried, misfits }: Outcome): Issue {
  const more = misfits > tried.length ? [`${misfits - tried.length} more`] : [];
  return { path: pointer(key), message: `${tag.tag} fits none of its rows: ${[...tried, ...more].join(', ')}` };
}
