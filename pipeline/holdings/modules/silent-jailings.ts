/**
 * Jailings that no event and no message of the transaction tells: contracts, interchain accounts and governance unjail, and may ask more
 * stake of an operator, who is jailed with less. No jailed validator is bonded.
 */
import type { ValidatorUpdate } from '../../chain/block.js';
import { bondedTokens } from '../check-sums.js';
import type { HoldingsState, Validator } from '../state.js';
import { type Elected, electValidators } from './validator.js';

/** Power that consensus is told of at a block's end, by public key. */
type Told = ReadonlyMap<string, number>;

/**
 * The validators that are to be bonded. Who is in jail is learnt from what consensus is told at a block's end, and from what the bonded
 * pool holds by then: one that alone explains both was jailed, or unjailed; else all who are to sign and that consensus hears to be gone
 * were jailed. Where that explains nothing either, the figures end the fold.
 */
export function electUnjailed(state: HoldingsState, updates: readonly ValidatorUpdate[]): Elected {
  const told = new Map(updates.map(({ publicKey, power }) => [publicKey, power]));
  for (const validator of state.validators.values()) {
    if (validator.jailed && (told.get(validator.publicKey) ?? 0) > 0) validator.jailed = false;
  }
  const explained = electExplained(state, told);
  if (explained) return explained;
  const gone = jailGone(state, told);
  const explainedByThem = electExplained(state, told);
  if (explainedByThem) return explainedByThem;
  for (const validator of gone) validator.jailed = false;
  return electValidators(state);
}

/** Elects those whom the figures of a block show, of whom one may be taken to be jailed, or unjailed; undefined if none does. */
function electExplained(state: HoldingsState, told: Told): Elected | undefined {
  const elected = electValidators(state);
  if (fits(state, elected, told)) return elected;
  const [one, ...others] = [...state.validators.values()].filter((validator) => {
    validator.jailed = !validator.jailed;
    const explains = fits(state, electValidators(state), told);
    validator.jailed = !validator.jailed;
    return explains;
  });
  if (!one || others.length > 0) return undefined;
  one.jailed = !one.jailed;
  return electValidators(state);
}

/** Jails all who are to sign though consensus does not know them; also those who would take their places. */
function jailGone(state: HoldingsState, told: Told): Validator[] {
  const [one] = [...electValidators(state)].find(([validator, power]) => power > 0 && isGone(validator, told)) ?? [];
  if (!one) return [];
  one.jailed = true;
  return [one, ...jailGone(state, told)];
}

const isGone = ({ publicKey, power }: Validator, told: Told) =>
  publicKey !== '' && (told.get(publicKey) ?? power) === 0;

/** Tells whether these are bonded by the pool, and sign by what consensus is told. A key that is not known fits any. */
function fits(state: HoldingsState, elected: Elected, told: Told): boolean {
  let tokens = 0n;
  for (const validator of elected.keys()) tokens += validator.tokens;
  if (tokens !== bondedTokens(state)) return false;
  return [...state.validators.values()].every((validator) => {
    const { publicKey, power } = validator;
    return publicKey === '' || (told.get(publicKey) ?? power) === (elected.get(validator) ?? 0);
  });
}
