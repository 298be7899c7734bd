/**
 * Marks to which the fold can rewind the state. The undo journal covers delegations, entries and share records. The
 * rest, a few kilobytes per validator, is copied.
 */
import type { HoldingsState, Validator } from './state.js';

export interface StateMark {
  /** Position in the undo journal. */
  readonly journal: number;
  /** Number of known denoms. */
  readonly denoms: number;
  /** Plain data members of the state. */
  readonly rest: Partial<HoldingsState>;
  readonly validators: readonly (readonly [validator: Validator, fields: Validator])[];
}

/** Marks the current state. The mark is valid until an earlier mark is restored or the journal forgets it. */
export function markState(state: HoldingsState): StateMark {
  return {
    journal: state.journal.mark(),
    denoms: state.denoms.size,
    rest: structuredClone(restOf(state)),
    validators: [...state.validators.values()].map((validator) => [validator, copyFields(validator)]),
  };
}

/** Rewinds the state to a mark, in place. */
export function returnToMark(state: HoldingsState, { journal, denoms, rest, validators }: StateMark): void {
  state.journal.undo(journal);
  state.denoms.cut(denoms);
  Object.assign(state, structuredClone(rest));
  state.validators.clear();
  state.validatorsByConsensus.clear();
  for (const [validator, fields] of validators) {
    Object.assign(validator, copyFields(fields));
    state.validators.set(validator.operator, validator);
    state.validatorsByConsensus.set(validator.consensusAddress, validator);
  }
}

function restOf(state: HoldingsState): Partial<HoldingsState> {
  const { sha256, denoms, journal, validators, validatorsByConsensus, ...others } = state;
  const { unbondings, redelegations, shareRecords, ...rest } = others;
  return rest;
}

/** Copies a validator's lists; shares their elements and the delegations. */
function copyFields(validator: Validator): Validator {
  const fields = Object.entries(validator).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(fields) as Validator;
}
