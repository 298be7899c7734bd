/** Validators (x/staking): how they come, who of them is bonded, and how they go. */

import type { ValidatorUpdate } from '../../chain/block.js';
import { Delegations } from '../delegations.js';
import { Mismatch } from '../holdings-error.js';
import type { BlockContext, HoldingsState, StakingParameters, Validator } from '../state.js';
import { BONDED, UNBONDED, UNBONDING } from '../state.js';
import { type Amounts, addTo, type Denoms, formatCoins } from '../values/dec-coins.js';
import { wholePart } from '../values/decimal18.js';
import { addressBytes, addressPrefix, consensusAddress, operatorAccount } from './addresses.js';

/** Base units of one unit of voting power. */
export const POWER_REDUCTION = 1_000_000n;

/** Voting power that tokens give. */
export function powerOf(tokens: bigint): number {
  return Number(tokens / POWER_REDUCTION);
}

/** Makes a validator as it is before anyone delegates to it. @param publicKey Ed25519, base64; '' where it is not known */
export function newValidator(state: HoldingsState, operator: string, publicKey: string): Validator {
  const validator: Validator = {
    operator,
    account: operatorAccount(operator),
    publicKey: '',
    consensusAddress: '',
    tokens: 0n,
    shares: 0n,
    status: UNBONDED,
    jailed: false,
    unbondingTime: 0n,
    unbondingHeight: 0,
    minSelfDelegation: 0n,
    power: 0,
    period: 1,
    ratio: [],
    current: [],
    outstanding: [],
    commission: [],
    slashes: [],
    delegations: new Delegations(state.journal),
  };
  state.validators.set(operator, validator);
  if (publicKey) setKey(state, validator, publicKey);
  return validator;
}

/** States the key by which consensus knows a validator. */
function setKey(state: HoldingsState, validator: Validator, publicKey: string): void {
  validator.publicKey = publicKey;
  validator.consensusAddress = consensusAddress(publicKey, addressPrefix(validator.operator), state.sha256);
  state.validatorsByConsensus.set(validator.consensusAddress, validator);
}

/**
 * The validator of an operator, in whatever spelling: hundreds of events a block use the usual one, which is looked up as it is.
 * @throws Mismatch when there is none of that operator
 */
export function validatorOf({ validators }: HoldingsState, operator: string): Validator {
  const validator = validators.get(operator) ?? validators.get(operator.toLowerCase());
  if (validator) return validator;
  throw new Mismatch({ what: 'validator', validator: operator, expected: 'there is one', found: 'none' });
}

/** The validator of a consensus address. @throws Mismatch when there is none */
export function validatorOfConsensus({ validatorsByConsensus }: HoldingsState, address: string): Validator {
  const validator = validatorsByConsensus.get(address);
  if (validator) return validator;
  throw new Mismatch({ what: 'validator', validator: address, expected: 'there is one', found: 'none' });
}

/** The cumulative ratio if the period under way ended now. */
export function closingRatio({ tokens, current, ratio }: Validator): Amounts {
  if (tokens === 0n || current.every((amount) => amount === 0n)) return ratio;
  const sum = [...ratio];
  for (let denom = 0; denom < current.length; denom++) {
    // Unchanged elements stay the same bigint: a million delegations share those of denoms that no longer come.
    if (current[denom]) addTo(sum, denom, current[denom]! / tokens);
  }
  return sum;
}

/** The commission that can be paid out, as whole coins. */
export const payableCommission = ({ commission }: Validator, denoms: Denoms): string =>
  formatCoins(commission.map(wholePart), denoms);

/** Nothing is left of it: what was still due goes to the community pool, which is the balance less Σ outstanding. */
export function removeValidator(state: HoldingsState, { operator, consensusAddress }: Validator): void {
  state.validators.delete(operator);
  state.validatorsByConsensus.delete(consensusAddress);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const index = a.findIndex((byte, i) => byte !== b[i]);
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}

/** Orders addresses as the chain's keys do, which put the length first. */
export function compareAddresses(a: string, b: string): number {
  const [left, right] = [addressBytes(a), addressBytes(b)];
  return left.length - right.length || compareBytes(left, right);
}

/** Validators with their power, the most powerful first; of equal ones the lower address (the order of x/staking's power index). */
function byPower(ranked: [Validator, number][]): [Validator, number][] {
  return ranked.sort(([a, more], [b, less]) => less - more || compareAddresses(a.operator, b.operator));
}

/** Validators that are to be bonded, each with the power that consensus is to know, the most powerful first. */
export type Elected = ReadonlyMap<Validator, number>;

/** Elects the unjailed validators of most power. */
export function electValidators({ validators, parameters }: HoldingsState): Elected {
  const candidates: [Validator, number][] = [];
  for (const validator of validators.values()) {
    const power = validator.jailed ? 0 : powerOf(validator.tokens);
    if (power > 0) candidates.push([validator, power]);
  }
  return withConsensusPowers(parameters, byPower(candidates).slice(0, parameters.maxValidators));
}

/**
 * Gives bonded validators the power that consensus is to know: under the interchain-security provider the first of them count, the
 * others have 0 (interchain-security x/ccv/provider/keeper/relay.go ProviderValidatorUpdates).
 * @param ranked in the order of their power
 */
function withConsensusPowers(
  { maxProviderConsensusValidators }: StakingParameters,
  ranked: readonly [Validator, number][],
): Elected {
  const limit = maxProviderConsensusValidators || ranked.length;
  return new Map(ranked.map(([validator, power], rank) => [validator, rank < limit ? power : 0]));
}

/** Gives the bonded validators of a starting state the power that consensus was told before it. */
export function startConsensusPowers({ validators, parameters }: HoldingsState): void {
  const bonded = [...validators.values()].filter(({ status }) => status === BONDED);
  const ranked = byPower(bonded.map((validator) => [validator, powerOf(validator.tokens)]));
  for (const [validator, power] of withConsensusPowers(parameters, ranked)) validator.power = power;
}

/** BeginUnbondingValidator: it leaves the bonded ones, and consensus. */
export function beginUnbonding({ state, height, time }: BlockContext, validator: Validator): void {
  validator.power = 0;
  validator.status = UNBONDING;
  validator.unbondingTime = time + state.parameters.unbondingTime;
  validator.unbondingHeight = height;
}

/**
 * Learns keys that no message told, of validators that contracts and interchain accounts founded, from what consensus is told: both it
 * and the elected are in the order of power.
 */
function learnKeys(state: HoldingsState, elected: Elected, told: readonly ValidatorUpdate[]): void {
  const keyless = [...elected].filter(([{ publicKey }, power]) => publicKey === '' && power > 0);
  if (keyless.length === 0) return;
  const known = new Set([...state.validators.values()].map(({ publicKey }) => publicKey));
  const unknown = told.filter(({ publicKey }) => !known.has(publicKey));
  for (const [validator, power] of keyless) {
    const place = unknown.findIndex((update) => update.power === power);
    if (place >= 0) setKey(state, validator, unknown.splice(place, 1)[0]!.publicKey);
  }
}

/**
 * ApplyAndReturnValidatorSetUpdates: the unjailed validators of most power are bonded, the others leave.
 * @param told what the chain told consensus at the end of the block, from which keys are learnt that no message told
 * @returns public key → new power of those whose power in consensus changed, 0 for those who left it
 */
export function updateValidatorSet(
  context: BlockContext,
  elected: Elected,
  told: readonly ValidatorUpdate[] = [],
): Map<string, number> {
  const { state } = context;
  const updates = new Map<string, number>();
  learnKeys(state, elected, told);
  for (const [validator, power] of elected) {
    if (power !== validator.power) updates.set(validator.publicKey, power);
    validator.power = power;
    validator.status = BONDED;
  }
  for (const validator of state.validators.values()) {
    if (validator.status !== BONDED || elected.has(validator)) continue;
    if (validator.power > 0) updates.set(validator.publicKey, 0);
    beginUnbonding(context, validator);
  }
  return updates;
}

/** Lets bonded validators that max_validators no longer leaves room for begin to unbond, as a handler does between two blocks. */
export function unbondBeyondLimit(context: BlockContext): void {
  const elected = electValidators(context.state);
  for (const validator of context.state.validators.values()) {
    if (validator.status === BONDED && !elected.has(validator)) beginUnbonding(context, validator);
  }
  context.moved = true;
}

/** UnbondAllMatureValidators: those whose time is over are unbonded, and gone when nobody delegates to them. */
export function matureValidators(context: BlockContext): void {
  for (const validator of context.state.validators.values()) {
    if (validator.status !== UNBONDING || validator.unbondingTime > context.time) continue;
    validator.status = UNBONDED;
    if (validator.shares === 0n) removeValidator(context.state, validator);
  }
}
