/**
 * Jailings that no event and no message of the transaction tells: contracts, interchain accounts and governance unjail, and may ask more
 * stake of an operator, who is jailed with less. No jailed validator is bonded.
 */
import type { ValidatorUpdate } from '../../chain/block.js';
import { bondedTokens } from '../check-sums.js';
import type { HoldingsState, Validator } from '../state.js';
import { consensusPowers, electValidators } from './validator.js';

/** Validators that are to be bonded, with their power. */
type Elected = ReadonlyMap<Validator, number>;

/**
 * The validators that are to be bonded. Who is in jail is learnt from what consensus is told at a block's end, and from what the bonded
 * pool holds by then: one that alone explains both was jailed, or unjailed. Where none or several do, the figures end the fold.
 */
export function electUnjailed(state: HoldingsState, updates: readonly ValidatorUpdate[]): Elected {
  const told = new Map(updates.map(({ publicKey, power }) => [publicKey, power]));
  for (const validator of state.validators.values()) {
    if (validator.jailed && (told.get(validator.publicKey) ?? 0) > 0) validator.jailed = false;
  }
  const elected = electValidators(state);
  if (fits(state, elected, told)) return elected;
  const [one, ...others] = [...state.validators.values()].filter((validator) => {
    validator.jailed = !validator.jailed;
    const explains = fits(state, electValidators(state), told);
    validator.jailed = !validator.jailed;
    return explains;
  });
  if (!one || others.length > 0) return elected;
  one.jailed = !one.jailed;
  return electValidators(state);
}

/** Tells whether these are bonded by the pool, and sign by what consensus is told. A key that is not known fits any. */
function fits(state: HoldingsState, elected: Elected, told: ReadonlyMap<string, number>): boolean {
  let tokens = 0n;
  for (const validator of elected.keys()) tokens += validator.tokens;
  if (tokens !== bondedTokens(state)) return false;
  const powers = new Map(consensusPowers(state, elected));
  return [...state.validators.values()].every((validator) => {
    const { publicKey, power } = validator;
    return publicKey === '' || (told.get(publicKey) ?? power) === (powers.get(validator) ?? 0);
  });
}
