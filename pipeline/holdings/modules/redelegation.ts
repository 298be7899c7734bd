/** Redelegation entries (x/staking): what moved to another validator and can still be slashed for the first one's faults. */
import type { BlockContext, HoldingsState, RedelegationEntry, Redelegations, Validator } from '../state.js';
import { BONDED, UNBONDING } from '../state.js';
import { JournaledMap } from '../undo-journal.js';

/** The origin of a redelegation's entry, from which it counts: undefined when its source was unbonded already, for then there is none. */
export interface Origin {
  readonly creationHeight: number;
  readonly completion: bigint;
}

/** Finds the origin before anything moves: it depends on the source's status. */
export function redelegationOrigin({ state, height, time }: BlockContext, source: Validator): Origin | undefined {
  if (source.status === BONDED) return { creationHeight: height, completion: time + state.parameters.unbondingTime };
  if (source.status === UNBONDING) {
    return { creationHeight: source.unbondingHeight, completion: source.unbondingTime };
  }
  return undefined;
}

export function addRedelegation(
  { redelegations, journal }: HoldingsState,
  source: string,
  delegator: string,
  destination: string,
  entry: RedelegationEntry,
): void {
  const key = `${delegator}/${destination}`;
  const ofSource = redelegations.get(source) ?? new JournaledMap<string, Redelegations>(journal);
  redelegations.set(source, ofSource);
  const known = ofSource.get(key)?.entries ?? [];
  ofSource.set(key, { delegator, destination, entries: [...known, entry] });
}

/** Drops the mature entries of a redelegation. */
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
