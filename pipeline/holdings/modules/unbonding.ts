/**
 * Unbonding and redelegation entries (x/staking). A redelegation entry is stake that was moved to another validator, but
 * can still be slashed for faults of the source validator.
 */
import { expectEqual, Mismatch } from '../holdings-error.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type Redelegations,
  UNBONDING,
  type UnbondingEntry,
  type Validator,
} from '../state.js';
import { JournaledMap } from '../undo-journal.js';
import { wholePart } from '../values/decimal18.js';
import { delegate, delegationOf, sharesToRemove, unbond } from './delegation.js';
import { unbondingInterval } from './stake-rows.js';

function changeBalance(
  { state, height, emit }: BlockContext,
  operator: string,
  delegator: string,
  entry: UnbondingEntry,
  balance: bigint,
): UnbondingEntry {
  if (entry.balance > 0n && entry.since < height) {
    emit('unbonding_intervals', unbondingInterval(operator, delegator, entry, height));
  }
  state.unbonding += balance - entry.balance;
  return { ...entry, balance, since: height };
}

export function unbondingEntries(state: HoldingsState, operator: string, delegator: string): readonly UnbondingEntry[] {
  return state.unbondings.get(operator)?.get(delegator) ?? [];
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

const replaced = (entries: readonly UnbondingEntry[], one: UnbondingEntry, other: UnbondingEntry) =>
  entries.map((entry) => (entry === one ? other : entry));

/** Adds an unbonding entry. Entries of the same block with the same completion time are merged. */
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
  replaceEntries(state, operator, delegator, same ? replaced(entries, same, grown) : [...entries, grown]);
}

/** Cancels part of an unbonding entry. The caller must delegate the cancelled amount again. */
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
  replaceEntries(state, operator, delegator, left.balance === 0n ? others : replaced(entries, entry, left));
}

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

export function isSlashable(entry: { creationHeight: number; completion: bigint }, infraction: number, time: bigint) {
  return entry.creationHeight >= infraction && entry.completion > time;
}

export function slashedPart(entry: { initialBalance: bigint }, fraction: bigint): bigint {
  return wholePart(fraction * entry.initialBalance);
}

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
  replaceEntries(context.state, operator, delegator, replaced(entries, entry, left));
  return burned;
}

interface Origin {
  readonly creationHeight: number;
  readonly completion: bigint;
}

/**
 * Returns height and time from which a redelegation counts. Returns undefined if the source validator is already
 * unbonded, because the SDK then creates no redelegation entry. Must be called before unbond, which may remove the
 * validator.
 */
function redelegationOrigin({ state, height, time }: BlockContext, source: Validator): Origin | undefined {
  if (source.status === BONDED) return { creationHeight: height, completion: time + state.parameters.unbondingTime };
  if (source.status === UNBONDING) {
    return { creationHeight: source.unbondingHeight, completion: source.unbondingTime };
  }
  return undefined;
}

/**
 * Moves stake to another validator, like BeginRedelegation in the SDK.
 * @param requested requested base units
 * @throws Mismatch if no token moves, because such a message fails on the chain (ErrTinyRedelegationAmount)
 */
export function beginRedelegation(
  context: BlockContext,
  source: Validator,
  destination: Validator,
  delegator: string,
  requested: bigint,
): void {
  const delegation = delegationOf(source, delegator);
  const origin = redelegationOrigin(context, source);
  const moved = unbond(context, source, delegator, sharesToRemove(source, delegation, requested));
  if (moved === 0n) {
    const about = { what: 'redelegated tokens', validator: source.operator, wallet: delegator };
    throw new Mismatch({ ...about, expected: 'more than 0', found: '0' });
  }
  const destinationShares = delegate(context, destination, delegator, moved);
  if (!origin) return;
  const { redelegations, journal } = context.state;
  const key = `${delegator}/${destination.operator}`;
  const ofSource = redelegations.get(source.operator) ?? new JournaledMap<string, Redelegations>(journal);
  redelegations.set(source.operator, ofSource);
  const entries = [...(ofSource.get(key)?.entries ?? []), { ...origin, initialBalance: moved, destinationShares }];
  ofSource.set(key, { delegator, destination: destination.operator, entries });
}

export function completeRedelegation(
  { state, time }: BlockContext,
  source: string,
  delegator: string,
  destination: string,
): void {
  const ofSource = state.redelegations.get(source);
  const key = `${delegator}/${destination}`;
  const redelegation = ofSource?.get(key);
  if (!ofSource || !redelegation) return;
  const entries = redelegation.entries.filter((entry) => entry.completion > time);
  if (entries.length > 0) ofSource.set(key, { ...redelegation, entries });
  else ofSource.delete(key);
  if (ofSource.size === 0) state.redelegations.delete(source);
}
