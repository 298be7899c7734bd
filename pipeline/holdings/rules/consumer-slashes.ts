/**
 * Slashes for faults on consumer chains (interchain-security x/ccv/provider). These slashes have no `slash` event. The
 * coins burned from the staking pools show the amount and, for double signs, the validator.
 */

import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { ChainEventRecord } from '../../chain/block.js';
import { Mismatch } from '../holdings-error.js';
import { type Fault, slashValidator } from '../modules/slashing.js';
import { isSlashable, slashedPart } from '../modules/unbonding.js';
import { POWER_REDUCTION, powerOf, validatorOfConsensus } from '../modules/validator.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type RedelegationEntry,
  UNBONDED,
  type UnbondingEntry,
  type Validator,
} from '../state.js';
import { divideUp, ONE, smaller, wholePart } from '../values/decimal18.js';
import {
  attribute,
  claimEarlier,
  type EventRule,
  expectNoWithdrawals,
  placeOf,
  unitsOf,
  type Walk,
} from './event-walk.js';
import { areOfOneMessage } from './messages.js';

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

/** Collects native coins burned from the staking pools. Only slashes burn such coins. */
const onBurn: EventRule = (event, { context: { state, burned } }) => {
  const account = state.moduleAccounts.get(attribute(event, 'burner'));
  const amount = attribute(event, 'amount');
  const units = unitsOf(amount);
  if (account && account.name !== 'distribution' && amount === `${units}${state.bondDenom}`) burned.push(units);
};

/** Treats withdrawals of earlier messages as reward claims. The slash causes only withdrawals in its own message. */
function claimOfOthers(event: ChainEventRecord, walk: Walk): void {
  const withdrawalsOfMessage = walk.context.withdrawals.filter((withdrawal) =>
    areOfOneMessage(withdrawal.event, event),
  );
  claimEarlier(walk, withdrawalsOfMessage.length);
}

/** Reads the validator's power from the packet's data (ConsumerPacketData in JSON). */
function packetPower(message: MsgRecvPacket | undefined): bigint | undefined {
  if (!message) return undefined;
  try {
    const { slashPacketData } = JSON.parse(new TextDecoder().decode(message.packet.data));
    return BigInt(slashPacketData.validator.power);
  } catch {
    return undefined;
  }
}

/**
 * Slashes for downtime on a consumer chain. Finds the slashed fraction, which is a parameter that no export contains.
 * The fraction is usually 0, which burns nothing (HandleSlashPacket).
 */
const onConsumerDowntime: EventRule = (event, walk) => {
  const { context } = walk;
  const validator = validatorOfConsensus(context.state, attribute(event, 'validator_address'));
  claimOfOthers(event, walk);
  if (context.burned.length > 0) slashForDowntime(event, walk, validator);
  expectNoWithdrawals(walk);
  context.burned.length = 0;
  validator.jailed = true;
  context.moved = true;
};

const TRIES_MAX = 1000;

/**
 * Returns the fraction that burns this amount. If several do, returns the one with the fewest decimal places, because
 * such parameters are round numbers.
 * @param burned base units, more than 0 and less than all tokens
 */
function fractionThatBurns(
  context: BlockContext,
  validator: Validator,
  fault: Omit<Fault, 'fraction'>,
  burned: bigint,
): bigint | undefined {
  const entries = [...leaving(context.state, validator.operator)].flatMap((one) => one.entries);
  const liable = entries.filter((entry) => isSlashable(entry, fault.height, context.time));
  const rest = fault.power * POWER_REDUCTION - liable.reduce((sum, { initialBalance }) => sum + initialBalance, 0n);
  if (rest <= 0n) return undefined;
  const least = ((burned - BigInt(liable.length)) * ONE) / rest;
  const most = divideUp(burned + 1n, rest);
  let tries = 0;
  for (let step = ONE; step > 0n; step /= 10n) {
    for (let fraction = (least / step) * step; fraction <= most; fraction += step) {
      if (tokensToBurn(context, validator, { ...fault, fraction }) === burned) return fraction;
      if (++tries > TRIES_MAX) return undefined;
    }
  }
  return undefined;
}

function slashForDowntime(event: ChainEventRecord, walk: Walk, validator: Validator): void {
  const { context } = walk;
  const burned = context.burned.at(-1)!;
  const power = packetPower(walk.messages?.packet(event)) ?? 0n;
  const height = Number(attribute(event, 'infraction_height'));
  const fault = { ...placeOf(walk), reason: 'consumer_missing_signature', height, power };
  const fraction = fractionThatBurns(context, validator, fault, burned);
  if (fraction === undefined) {
    const about = { what: 'slash for downtime on a consumer chain', validator: validator.operator };
    throw new Mismatch({ ...about, expected: `${burned} burned`, found: `no fraction of a voting power of ${power}` });
  }
  slashValidator(context, validator, { ...fault, fraction }, burned);
}

/** Returns the validator's power including unbonding and redelegated stake (ComputePowerToSlash). */
function powerToSlash({ state, time }: BlockContext, validator: Validator): bigint {
  const last = validator.status === BONDED ? validator.power || powerOf(validator.tokens) : 0;
  let amount = 0n;
  for (const { entries } of leaving(state, validator.operator)) {
    for (const entry of entries) if (isSlashable(entry, 0, time)) amount += entry.initialBalance;
  }
  return BigInt(last) + amount / POWER_REDUCTION;
}

/**
 * Slashes by the double-sign fraction of x/slashing, the default of consumer chains (HandleConsumerDoubleVoting).
 * @throws Mismatch unless the last burned amount fits exactly one validator
 */
const onConsumerDoubleSign: EventRule = (event, walk) => {
  const { context } = walk;
  const { state, burned } = context;
  claimOfOthers(event, walk);
  const fraction = state.parameters.slashFractionDoubleSign;
  const about = { ...placeOf(walk), reason: 'consumer_double_sign', height: 0, fraction };
  const suspects = [...state.validators.values()].flatMap((validator) => {
    if (validator.status === UNBONDED) return [];
    const fault: Fault = { ...about, power: powerToSlash(context, validator) };
    return tokensToBurn(context, validator, fault) === burned.at(-1) ? [{ validator, fault }] : [];
  });
  const [one, ...others] = suspects;
  if (!one || others.length > 0) {
    const expected = `${sum(burned)} burned, ${burned.at(-1) ?? 0n} of it of one validator's tokens`;
    throw new Mismatch({ what: event.type, expected, found: `${suspects.length} validators with this loss` });
  }
  slashValidator(context, one.validator, one.fault, burned.at(-1)!);
  expectNoWithdrawals(walk);
  one.validator.jailed = true;
  burned.length = 0;
};

function tokensToBurn({ state, time }: BlockContext, validator: Validator, fault: Fault): bigint {
  let remaining = wholePart(fault.power * POWER_REDUCTION * fault.fraction);
  for (const { entries } of leaving(state, validator.operator)) {
    for (const entry of entries) {
      if (isSlashable(entry, fault.height, time)) remaining -= slashedPart(entry, fault.fraction);
    }
  }
  return remaining < 0n ? 0n : smaller(remaining, validator.tokens);
}

export function expectNothingBurned({ context: { burned } }: Walk): void {
  if (burned.length === 0) return;
  const expected = `${sum(burned)} burned by a slash`;
  throw new Mismatch({ what: 'coins burned of the staking pools', expected, found: 'no slash' });
}

export const consumerRules: Readonly<Record<string, EventRule>> = {
  burn: onBurn,
  execute_consumer_chain_slash: onConsumerDowntime,
  submit_consumer_double_voting: onConsumerDoubleSign,
  submit_consumer_misbehaviour: onConsumerDoubleSign,
};

function* leaving(
  { unbondings, redelegations }: HoldingsState,
  operator: string,
): Generator<{ readonly entries: readonly (UnbondingEntry | RedelegationEntry)[] }> {
  for (const entries of unbondings.get(operator)?.values() ?? []) yield { entries };
  yield* redelegations.get(operator)?.values() ?? [];
}
