/**
 * Marks of the state, to which the fold can take it back. Delegations, entries and share records are the undo journal's; the rest,
 * some kilobytes a validator however many delegate to it, is copied when a mark is made.
 */
import type { HoldingsState, Validator } from './state.js';

export interface StateMark {
  /** Place in the undo journal. */
  readonly journal: number;
  /** Denoms that were known. */
  readonly denoms: number;
  /** Members of the state that are plain data. */
  readonly rest: Partial<HoldingsState>;
  readonly validators: readonly (readonly [validator: Validator, fields: Validator])[];
}

/** Marks the state as it is now. The mark holds until one before it is returned to, or the journal forgets. */
export function markState(state: HoldingsState): StateMark {
  return {
    journal: state.journal.mark(),
    denoms: state.denoms.size,
    rest: structuredClone(restOf(state)),
    validators: [...state.validators.values()].map((validator) => [validator, copyFields(validator)]),
  };
}

/** Takes the state back to a mark, in place. */
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

/** The members of the state that are plain data, whichever they are. */
function restOf(state: HoldingsState): Partial<HoldingsState> {
  const { sha256, denoms, journal, validators, validatorsByConsensus, ...others } = state;
  const { unbondings, redelegations, shareRecords, ...rest } = others;
  return rest;
}

/** A validator with lists of its own; their elements, and the map of its delegations, are the validator's. */
function copyFields(validator: Validator): Validator {
  const fields = Object.entries(validator).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(fields) as Validator;
}
