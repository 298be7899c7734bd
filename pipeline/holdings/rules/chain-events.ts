import { bech32 } from '@scure/base';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { type Fault, slashValidator } from '../modules/slashing.js';
import { completeRedelegation, completeUnbonding } from '../modules/unbonding.js';
import {
  addressPrefix,
  payableCommission,
  SHOWS_RATE,
  validatorOf,
  validatorOfConsensus,
} from '../modules/validator.js';
import type { BlockContext, Validator } from '../state.js';
import {
  addAll,
  addCoins,
  type Denoms,
  fromWhole,
  parseDecCoins,
  subtractAll,
  wholePart,
} from '../values/decimal18.js';
import {
  addressOf,
  attribute,
  attributeOrNone,
  claimEarlier,
  type EventRule,
  expectNoWithdrawals,
  placeOf,
  unitsOf,
} from './event-walk.js';

const onWithdrawRewards: EventRule = (event, { context }) => {
  context.withdrawals.push({
    validator: addressOf(event, 'validator'),
    delegator: addressOf(event, 'delegator'),
    amount: attribute(event, 'amount'),
    event,
  });
};

const onCommission: EventRule = (event, walk) => {
  const { state } = walk.context;
  claimEarlier(walk, 0);
  const validator = validatorOf(state, attribute(event, 'validator'));
  const amounts = parseDecCoins(attribute(event, 'amount'), state.denoms);
  addAll(validator.commission, amounts);
  subtractAll(validator.current, amounts);
  walk.commission = amounts[state.denoms.number(state.bondDenom)] ?? 0n;
};

/**
 * Adds rewards to a validator. The event's amount includes the commission, which the event just before it contains
 * (SDK: AllocateTokensToValidator).
 */
const onRewards: EventRule = (event, { context: { state }, commission }) => {
  const validator = validatorOf(state, attribute(event, 'validator'));
  const amounts = parseDecCoins(attribute(event, 'amount'), state.denoms);
  addAll(validator.current, amounts);
  addAll(validator.outstanding, amounts);
  const reward = amounts[state.denoms.number(state.bondDenom)] ?? 0n;
  if (reward > SHOWS_RATE) Object.assign(validator, { lastReward: reward, lastCommission: commission });
};

function withdrawCommission(validator: Validator, amount: string, denoms: Denoms): void {
  expectEqual(amount, payableCommission(validator, denoms), { what: 'commission', validator: validator.operator });
  const paid = validator.commission.map((units) => fromWhole(wholePart(units)));
  subtractAll(validator.commission, paid);
  subtractAll(validator.outstanding, paid);
}

/**
 * Pays commission. Only the message names the validator. Without a message, the validator is found by its unpaid
 * commission. If several validators have this commission, the one with the longest address is right: its operator is a
 * contract or an interchain account, because other operators need a message.
 */
const onWithdrawCommission: EventRule = (event, walk) => {
  const { state } = walk.context;
  claimEarlier(walk, 0);
  const message = walk.messages?.commissionWithdrawal(event);
  const amount = attribute(event, 'amount');
  if (message) return withdrawCommission(validatorOf(state, message.validatorAddress), amount, state.denoms);
  const fitting = [...state.validators.values()].filter((one) => payableCommission(one, state.denoms) === amount);
  const [longest] = fitting.sort((a, b) => b.operator.length - a.operator.length);
  if (!longest) throw new Mismatch({ what: 'commission', expected: amount, found: 'no validator with this amount' });
  withdrawCommission(longest, amount, state.denoms);
};

/** Returns the height from which stake is slashed: one block before the fault (sdk.ValidatorUpdateDelay). */
function faultHeight(context: BlockContext, validator: Validator, reason: string): number {
  if (reason === 'missing_signature') return context.height - 2;
  const prefix = addressPrefix(validator.operator);
  const evidence = context.doubleSigns.find(
    ({ validatorAddress }) => consensusAddressOfHex(validatorAddress, prefix) === validator.consensusAddress,
  );
  if (evidence && reason === 'double_sign') return evidence.height - 1;
  throw new Mismatch({
    what: `slash for ${reason}`,
    validator: validator.operator,
    expected: 'evidence',
    found: 'none',
  });
}

const onSlash: EventRule = (event, walk) => {
  const { context } = walk;
  const { state } = context;
  const jailed = attributeOrNone(event, 'jailed');
  const address = attributeOrNone(event, 'address');
  if (address !== undefined) {
    const validator = validatorOfConsensus(state, address);
    const reason = attribute(event, 'reason');
    const { slashFractionDowntime, slashFractionDoubleSign } = state.parameters;
    const fault: Fault = {
      ...placeOf(walk),
      reason,
      height: faultHeight(context, validator, reason),
      fraction: reason === 'double_sign' ? slashFractionDoubleSign : slashFractionDowntime,
      power: BigInt(attribute(event, 'power')),
    };
    slashValidator(context, validator, fault, unitsOf(attribute(event, 'burned_coins')));
    expectNoWithdrawals(walk);
    context.burned.length = 0;
  }
  if (jailed !== undefined) {
    validatorOfConsensus(state, jailed).jailed = true;
    context.moved = true;
  }
};

const onCompleteUnbonding: EventRule = (event, { context }) => {
  const paid = unitsOf(attribute(event, 'amount'));
  completeUnbonding(context, addressOf(event, 'validator'), addressOf(event, 'delegator'), paid);
};

const onCompleteRedelegation: EventRule = (event, { context }) => {
  const [source, destination] = [addressOf(event, 'source_validator'), addressOf(event, 'destination_validator')];
  completeRedelegation(context, source, addressOf(event, 'delegator'), destination);
};

const movesCoins =
  (party: 'receiver' | 'spender', sign: bigint): EventRule =>
  (event, { context }) => {
    const account = context.state.moduleAccounts.get(attribute(event, party));
    if (!account) return;
    addCoins(account.balances, attribute(event, 'amount'), sign);
    if (account.name !== 'distribution') context.moved = true;
  };

export const chainRules: Readonly<Record<string, EventRule>> = {
  withdraw_rewards: onWithdrawRewards,
  commission: onCommission,
  rewards: onRewards,
  withdraw_commission: onWithdrawCommission,
  slash: onSlash,
  complete_unbonding: onCompleteUnbonding,
  complete_redelegation: onCompleteRedelegation,
  coin_received: movesCoins('receiver', 1n),
  coin_spent: movesCoins('spender', -1n),
};

function consensusAddressOfHex(hex: string, prefix: string): string {
  return bech32.encodeFromBytes(
    `${prefix}valcons`,
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
  );
}
