/**
 * Faults on consumer chains (interchain-security x/ccv/provider). They are slashed without a `slash` event: what was burned of the
 * staking pools is all that tells how much, and for double signs also whose.
 */
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import type { ChainEventRecord } from '../../chain/block.js';
import { Mismatch } from '../holdings-error.js';
import { type Fault, fractionThatBurns, slashValidator, tokensToBurn } from '../modules/slashing.js';
import { isSlashable, leaving } from '../modules/unbonding.js';
import { POWER_REDUCTION, powerOf, validatorOfConsensus } from '../modules/validator.js';
import { type BlockContext, BONDED, UNBONDED, type Validator } from '../state.js';
import {
  attribute,
  claimEarlier,
  type EventRule,
  expectNoWithdrawals,
  placeOf,
  unitsOf,
  type Walk,
} from './event-walk.js';
import { areOfOneMessage, RECEIVE_PACKET } from './messages.js';

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

/** Bonded coins of the staking pools burn in slashes alone; redeemed share tokens burn there, too. */
const onBurn: EventRule = (event, { context: { state, burned } }) => {
  const account = state.moduleAccounts.get(attribute(event, 'burner'));
  const amount = attribute(event, 'amount');
  const units = unitsOf(amount);
  if (account && account.name !== 'distribution' && amount === `${units}${state.bondDenom}`) burned.push(units);
};

/** Withdrawals of earlier messages are claims of their own: the slash accounts for those of its own message alone. */
function claimOfOthers(event: ChainEventRecord, walk: Walk): void {
  const own = walk.context.withdrawals.filter((withdrawal) => areOfOneMessage(withdrawal.event, event));
  claimEarlier(walk, own.length);
}

/** Voting power at the fault, as the consumer chain's packet says it (ConsumerPacketData in JSON). */
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
 * HandleSlashPacket, for downtime: jailed, and slashed by the fraction that the consumer chain's own parameters say. No export has
 * these; nothing burned is a fraction of 0, the usual one. Else it is the shortest decimal by which as much burns.
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

function slashForDowntime(event: ChainEventRecord, walk: Walk, validator: Validator): void {
  const { context } = walk;
  const burned = context.burned.at(-1)!;
  const power = packetPower(walk.messages?.of(event, RECEIVE_PACKET)) ?? 0n;
  const height = Number(attribute(event, 'infraction_height'));
  const fault = { ...placeOf(walk), reason: 'consumer_missing_signature', height, power };
  const fraction = fractionThatBurns(context, validator, fault, burned);
  if (fraction === undefined) {
    const about = { what: 'slash for downtime on a consumer chain', validator: validator.operator };
    throw new Mismatch({ ...about, expected: `${burned} burned`, found: `no fraction of a voting power of ${power}` });
  }
  slashValidator(context, validator, { ...fault, fraction }, burned);
}

/** Voting power that a double sign on a consumer chain is slashed by: what stands and all that is leaving (ComputePowerToSlash). */
function powerToSlash({ state, time }: BlockContext, validator: Validator): bigint {
  const last = validator.status === BONDED ? validator.power || powerOf(validator.tokens) : 0;
  let amount = 0n;
  for (const { entries } of leaving(state, validator.operator)) {
    for (const entry of entries) if (isSlashable(entry, 0, time)) amount += entry.initialBalance;
  }
  return BigInt(last) + amount / POWER_REDUCTION;
}

/**
 * HandleConsumerDoubleVoting and HandleConsumerMisbehaviour: slashed by x/slashing's fraction, the default of consumer chains, and
 * jailed for good. The validator is the one of whose tokens as much burns as the chain burned last.
 * @throws Mismatch when none is, or several are
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
    throw new Mismatch({ what: event.type, expected, found: `${suspects.length} validators of whom that would burn` });
  }
  slashValidator(context, one.validator, one.fault, burned.at(-1)!);
  expectNoWithdrawals(walk);
  one.validator.jailed = true;
  burned.length = 0;
};

/** @throws Mismatch when something burned in the transaction, or the block's own events, that no slash explains */
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
