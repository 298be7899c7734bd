/** Unbonding entries (x/staking unbonding delegations): what was undelegated and is not paid out yet. */

import { expectEqual, Mismatch } from '../holdings-error.js';
import type { BlockContext, HoldingsState, RedelegationEntry, UnbondingEntry } from '../state.js';
import { JournaledMap } from '../undo-journal.js';
import { wholePart } from '../values/decimal18.js';
import { changeBalance } from './intervals.js';

/** The entries of a wallet at a validator, oldest first. */
export function unbondingEntries(state: HoldingsState, operator: string, delegator: string): readonly UnbondingEntry[] {
  return state.unbondings.get(operator)?.get(delegator) ?? [];
}

/** Lists the entries of what is leaving a validator, by undelegating or redelegating. */
export function* leaving(
  { unbondings, redelegations }: HoldingsState,
  operator: string,
): Generator<{ readonly entries: readonly (UnbondingEntry | RedelegationEntry)[] }> {
  for (const entries of unbondings.get(operator)?.values() ?? []) yield { entries };
  yield* redelegations.get(operator)?.values() ?? [];
}

function replaceEntries(
  state: HoldingsState,
  operator: string,
  delegator: string,
  entries: readonly UnbondingEntry[],
): void {
  const pairs = state.unbondings.get(operator) ?? new JournaledMap<string, readonly UnbondingEntry[]>(state.journal);
  if (entries.length > 0) {
    pairs.set(delegator, entries);
    state.unbondings.set(operator, pairs);
  } else {
    pairs.delete(delegator);
    if (pairs.size === 0) state.unbondings.delete(operator);
  }
}

const exchanged = (entries: readonly UnbondingEntry[], one: UnbondingEntry, other: UnbondingEntry) =>
  entries.map((entry) => (entry === one ? other : entry));

/** A new entry; one of the same block and completion takes it in. */
export function addUnbonding(context: BlockContext, operator: string, delegator: string, amount: bigint): void {
  const { state, height, time } = context;
  const completion = time + state.parameters.unbondingTime;
  const entries = unbondingEntries(state, operator, delegator);
  const same = entries.find((entry) => entry.creationHeight === height && entry.completion === completion);
  context.moved = true;
  const begun = { creationHeight: height, completion, initialBalance: 0n, balance: 0n, since: height };
  const entry = same ?? begun;
  const changed = changeBalance(context, operator, delegator, entry, entry.balance + amount);
  const grown = { ...changed, initialBalance: entry.initialBalance + amount };
  replaceEntries(state, operator, delegator, same ? exchanged(entries, same, grown) : [...entries, grown]);
}

/** Takes an amount out of the first entry of that height, for delegating it again. */
export function cancelUnbonding(
  context: BlockContext,
  operator: string,
  delegator: string,
  creationHeight: number,
  amount: bigint,
): void {
  const { state } = context;
  const entries = unbondingEntries(state, operator, delegator);
  const entry = entries.find((candidate) => candidate.creationHeight === creationHeight);
  if (!entry || entry.balance < amount) {
    const what = `unbonding entry of height ${creationHeight}`;
    const found = entry ? String(entry.balance) : 'no entry';
    throw new Mismatch({ what, validator: operator, wallet: delegator, expected: `at least ${amount}`, found });
  }
  context.moved = true;
  const changed = changeBalance(context, operator, delegator, entry, entry.balance - amount);
  const left = { ...changed, initialBalance: entry.initialBalance - amount };
  const others = entries.filter((other) => other !== entry);
  replaceEntries(state, operator, delegator, left.balance === 0n ? others : exchanged(entries, entry, left));
}

/** Pays out the mature entries of a pair. @param paid base units that complete_unbonding says */
export function completeUnbonding(context: BlockContext, operator: string, delegator: string, paid: bigint): void {
  const { state, time } = context;
  const entries = unbondingEntries(state, operator, delegator);
  let sum = 0n;
  for (const entry of entries) {
    if (entry.completion > time) continue;
    sum += entry.balance;
    changeBalance(context, operator, delegator, entry, 0n);
  }
  context.moved = true;
  expectEqual(paid, sum, { what: 'completed unbonding', validator: operator, wallet: delegator });
  replaceEntries(
    state,
    operator,
    delegator,
    entries.filter((entry) => entry.completion > time),
  );
}

/** True for what a slash reaches: begun at the infraction or later, and not yet mature. */
export function isSlashable(entry: { creationHeight: number; completion: bigint }, infraction: number, time: bigint) {
  return entry.creationHeight >= infraction && entry.completion > time;
}

/** Part of an entry that a slash asks for: always of what it began with. */
export function slashedPart(entry: { initialBalance: bigint }, fraction: bigint): bigint {
  return wholePart(fraction * entry.initialBalance);
}

/** Burns up to an amount of an entry. @returns what was there to burn */
export function burnUnbonding(
  context: BlockContext,
  operator: string,
  delegator: string,
  entry: UnbondingEntry,
  amount: bigint,
): bigint {
  const burned = amount < entry.balance ? amount : entry.balance;
  context.moved = true;
  if (burned === 0n) return burned;
  const entries = unbondingEntries(context.state, operator, delegator);
  const left = changeBalance(context, operator, delegator, entry, entry.balance - burned);
  replaceEntries(context.state, operator, delegator, exchanged(entries, entry, left));
  return burned;
}
