import { base64, bech32 } from '@scure/base';
import type { ValidatorUpdate } from '../../chain/block.js';
import { bondedTokens } from '../check-sums.js';
import { Delegations } from '../delegations.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type Sha256,
  type StakingParameters,
  UNBONDED,
  UNBONDING,
  type Validator,
} from '../state.js';
import {
  type Amounts,
  addTo,
  type Denoms,
  divide,
  formatCoins,
  multiply,
  ONE,
  wholePart,
} from '../values/decimal18.js';

function addressBytes(address: string): Uint8Array {
  return bech32.decodeToBytes(address).bytes;
}

const ENDINGS = ['valoper', 'valcons'];

export function addressPrefix(address: string): string {
  const prefix = address.slice(0, address.lastIndexOf('1'));
  const ending = ENDINGS.find((candidate) => prefix.endsWith(candidate));
  return ending ? prefix.slice(0, -ending.length) : prefix;
}

export function operatorAccount(operator: string): string {
  return bech32.encodeFromBytes(addressPrefix(operator), addressBytes(operator));
}

function consensusAddress(publicKey: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(`${prefix}valcons`, sha256(base64.decode(publicKey)).subarray(0, 20));
}

export function moduleAccount(name: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(prefix, sha256(new TextEncoder().encode(name)).subarray(0, 20));
}

export function shareRecordAccount(record: string, prefix: string, sha256: Sha256): string {
  const text = new TextEncoder();
  const module = sha256(text.encode('module'));
  const key = text.encode(`lsm\0tokenizeshare_${record}`);
  return bech32.encodeFromBytes(prefix, sha256(Uint8Array.from([...module, ...key])));
}

export const POWER_REDUCTION = 1_000_000n;

export function powerOf(tokens: bigint): number {
  return Number(tokens / POWER_REDUCTION);
}

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
    commissionRate: null,
    lastReward: 0n,
    lastCommission: 0n,
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

function setKey(state: HoldingsState, validator: Validator, publicKey: string): void {
  validator.publicKey = publicKey;
  validator.consensusAddress = consensusAddress(publicKey, addressPrefix(validator.operator), state.sha256);
  state.validatorsByConsensus.set(validator.consensusAddress, validator);
}

export function validatorOf({ validators }: HoldingsState, operator: string): Validator {
  const validator = validators.get(operator) ?? validators.get(operator.toLowerCase());
  if (validator) return validator;
  throw new Mismatch({ what: 'validator', validator: operator, expected: 'one', found: 'none' });
}

export function validatorOfConsensus({ validatorsByConsensus }: HoldingsState, address: string): Validator {
  const validator = validatorsByConsensus.get(address);
  if (validator) return validator;
  throw new Mismatch({ what: 'validator', validator: address, expected: 'one', found: 'none' });
}

/** Returns the cumulative reward per token, as if the current period ended now. */
export function closingRatio({ tokens, current, ratio }: Validator): Amounts {
  if (tokens === 0n || current.every((amount) => amount === 0n)) return ratio;
  const sum = [...ratio];
  for (let denom = 0; denom < current.length; denom++) {
    if (current[denom]) addTo(sum, denom, current[denom]! / tokens);
  }
  return sum;
}

export const payableCommission = ({ commission }: Validator, denoms: Denoms): string =>
  formatCoins(commission.map(wholePart), denoms);

export function setCommissionRate(validator: Validator, rate: bigint | null): void {
  Object.assign(validator, { commissionRate: rate, lastReward: 0n, lastCommission: 0n });
}

/** Above this reward (two base units), only one rate with 18 decimals fits the commission. */
export const SHOWS_RATE = 2n * ONE;

/**
 * Returns the commission rate × 10^18; null if it is unknown. If possible, computes it from the last commission,
 * because contracts and upgrades may change a rate without a message.
 */
export function knownCommissionRate({ commissionRate, lastReward, lastCommission }: Validator): bigint | null {
  if (lastReward === 0n) return commissionRate;
  const rate = divide(lastCommission, lastReward);
  return multiply(lastReward, rate) === lastCommission ? rate : null;
}

/** Removes a validator. Its unpaid rewards then count as part of the community pool (check-sums.ts). */
export function removeValidator(state: HoldingsState, { operator, consensusAddress }: Validator): void {
  state.validators.delete(operator);
  state.validatorsByConsensus.delete(consensusAddress);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const index = a.findIndex((byte, i) => byte !== b[i]);
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}

/** Compares addresses by length first, then by bytes, like the chain's store keys. */
export function compareAddresses(a: string, b: string): number {
  const [left, right] = [addressBytes(a), addressBytes(b)];
  return left.length - right.length || compareBytes(left, right);
}

function byPower(ranked: [Validator, number][]): [Validator, number][] {
  return ranked.sort(([a, more], [b, less]) => less - more || compareAddresses(a.operator, b.operator));
}

/** The elected validators with their CometBFT power, in descending order of stake. */
type Elected = ReadonlyMap<Validator, number>;

export function electValidators({ validators, parameters }: HoldingsState): Elected {
  const candidates: [Validator, number][] = [];
  for (const validator of validators.values()) {
    const power = validator.jailed ? 0 : powerOf(validator.tokens);
    if (power > 0) candidates.push([validator, power]);
  }
  return withConsensusPowers(parameters, byPower(candidates).slice(0, parameters.maxValidators));
}

/** Gives validators beyond the provider's limit a power of 0 (relay.go in x/ccv/provider). */
function withConsensusPowers(
  { maxProviderConsensusValidators }: StakingParameters,
  ranked: readonly [Validator, number][],
): Elected {
  const limit = maxProviderConsensusValidators || ranked.length;
  return new Map(ranked.map(([validator, power], rank) => [validator, rank < limit ? power : 0]));
}

export function startConsensusPowers({ validators, parameters }: HoldingsState): void {
  const bonded = [...validators.values()].filter(({ status }) => status === BONDED);
  const ranked = byPower(bonded.map((validator) => [validator, powerOf(validator.tokens)]));
  for (const [validator, power] of withConsensusPowers(parameters, ranked)) validator.power = power;
}

export function beginUnbonding({ state, height, time }: BlockContext, validator: Validator): void {
  validator.power = 0;
  validator.status = UNBONDING;
  validator.unbondingTime = time + state.parameters.unbondingTime;
  validator.unbondingHeight = height;
}

/**
 * Finds the keys of validators that were created without a message. Compares their power with the validator updates.
 */
function learnKeys(state: HoldingsState, elected: Elected, reported: readonly ValidatorUpdate[]): void {
  const keyless = [...elected].filter(([{ publicKey }, power]) => publicKey === '' && power > 0);
  if (keyless.length === 0) return;
  const known = new Set([...state.validators.values()].map(({ publicKey }) => publicKey));
  const unknown = reported.filter(({ publicKey }) => !known.has(publicKey));
  for (const [validator, power] of keyless) {
    const place = unknown.findIndex((update) => update.power === power);
    if (place >= 0) setKey(state, validator, unknown.splice(place, 1)[0]!.publicKey);
  }
}

/**
 * Elects validators, like ApplyAndReturnValidatorSetUpdates in the SDK. @returns changed CometBFT powers by public key;
 * 0 removes the validator
 */
export function updateValidatorSet(
  context: BlockContext,
  elected: Elected,
  reported: readonly ValidatorUpdate[] = [],
): Map<string, number> {
  const { state } = context;
  const updates = new Map<string, number>();
  learnKeys(state, elected, reported);
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

/** Elects validators and ends unbonding, as x/staking does at EndBlock. @throws Mismatch if validator updates differ */
export function endBlockValidators(context: BlockContext, reported: readonly ValidatorUpdate[]): void {
  if (context.moved || reported.length > 0) bondElected(context, reported);
  matureValidators(context);
}

function matureValidators(context: BlockContext): void {
  for (const validator of context.state.validators.values()) {
    if (validator.status !== UNBONDING || validator.unbondingTime > context.time) continue;
    validator.status = UNBONDED;
    if (validator.shares === 0n) removeValidator(context.state, validator);
  }
}

type Powers = ReadonlyMap<string, number>;

function bondElected(context: BlockContext, reported: readonly ValidatorUpdate[]): void {
  const updates = updateValidatorSet(context, electUnjailed(context.state, reported), reported);
  const expected = new Map(reported.map(({ publicKey, power }) => [publicKey, power]));
  expectEqual(formatUpdates(expected), formatUpdates(updates), { what: 'validator updates' });
}

function formatUpdates(updates: ReadonlyMap<string, number>): string {
  return [...updates]
    .map(([publicKey, power]) => `${publicKey}: ${power}`)
    .sort()
    .join(', ');
}

/**
 * Elects validators and compares the result with the block. Contracts, interchain accounts and governance can jail or
 * unjail a validator without an event or message. If the result differs, searches for exactly one jailing or unjailing
 * that corrects it. Otherwise jails the elected validators that CometBFT does not have.
 */
function electUnjailed(state: HoldingsState, updates: readonly ValidatorUpdate[]): Elected {
  const powers = new Map(updates.map(({ publicKey, power }) => [publicKey, power]));
  for (const validator of state.validators.values()) {
    if (validator.jailed && (powers.get(validator.publicKey) ?? 0) > 0) validator.jailed = false;
  }
  const explained = electExplained(state, powers);
  if (explained) return explained;
  const gone = jailGone(state, powers);
  const explainedByThem = electExplained(state, powers);
  if (explainedByThem) return explainedByThem;
  for (const validator of gone) validator.jailed = false;
  return electValidators(state);
}

/**
 * Elects validators, after jailing or unjailing at most one, so that the result matches the block. Returns undefined if
 * this is impossible or ambiguous.
 */
function electExplained(state: HoldingsState, powers: Powers): Elected | undefined {
  const elected = electValidators(state);
  if (fits(state, elected, powers)) return elected;
  const [one, ...others] = [...state.validators.values()].filter((validator) => {
    validator.jailed = !validator.jailed;
    const explains = fits(state, electValidators(state), powers);
    validator.jailed = !validator.jailed;
    return explains;
  });
  if (!one || others.length > 0) return undefined;
  one.jailed = !one.jailed;
  return electValidators(state);
}

/** Jails elected validators that CometBFT does not have, then checks their replacements in the same way. */
function jailGone(state: HoldingsState, powers: Powers): Validator[] {
  const [one] = [...electValidators(state)].find(([validator, power]) => power > 0 && isGone(validator, powers)) ?? [];
  if (!one) return [];
  one.jailed = true;
  return [one, ...jailGone(state, powers)];
}

const isGone = ({ publicKey, power }: Validator, powers: Powers) =>
  publicKey !== '' && (powers.get(publicKey) ?? power) === 0;

/**
 * Returns true if the election matches the bonded pool and the validator updates. A validator with an unknown key
 * matches any update.
 */
function fits(state: HoldingsState, elected: Elected, powers: Powers): boolean {
  let tokens = 0n;
  for (const validator of elected.keys()) tokens += validator.tokens;
  if (tokens !== bondedTokens(state)) return false;
  return [...state.validators.values()].every((validator) => {
    const { publicKey, power } = validator;
    return publicKey === '' || (powers.get(publicKey) ?? power) === (elected.get(validator) ?? 0);
  });
}
