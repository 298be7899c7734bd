/** Rules of the events that reward, slash and pay out, and of the module accounts' coins. */
import { Mismatch } from '../holdings-error.js';
import { addressPrefix, consensusAddressOfHex } from '../modules/addresses.js';
import { completeRedelegation } from '../modules/redelegation.js';
import { allocateCommission, allocateReward, withdrawCommission } from '../modules/reward-periods.js';
import { type Fault, slashValidator } from '../modules/slashing.js';
import { completeUnbonding } from '../modules/unbonding.js';
import { payableCommission, validatorOf, validatorOfConsensus } from '../modules/validator.js';
import { applyProposal, dropProposal, keepProposal } from '../parameters.js';
import type { BlockContext, Validator } from '../state.js';
import { addCoins } from '../values/dec-coins.js';
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
  allocateCommission(state, validatorOf(state, attribute(event, 'validator')), attribute(event, 'amount'));
};

const onRewards: EventRule = (event, { context: { state } }) => {
  allocateReward(state, validatorOf(state, attribute(event, 'validator')), attribute(event, 'amount'));
};

/**
 * The event does not name the validator; where no message does, it is the one whose commission has that whole part. Of several it is that
 * of a contract or an interchain account, whose addresses are the longer ones: others withdraw by a message, and anybody can give a
 * validator of a contract's as much as another one has.
 */
const onWithdrawCommission: EventRule = (event, walk) => {
  const { state } = walk.context;
  claimEarlier(walk, 0);
  const message = walk.messages?.commissionWithdrawal(event);
  const amount = attribute(event, 'amount');
  if (message) return withdrawCommission(state, validatorOf(state, message.validatorAddress), amount);
  const fitting = [...state.validators.values()].filter((one) => payableCommission(one, state.denoms) === amount);
  const [longest] = fitting.sort((a, b) => b.operator.length - a.operator.length);
  if (!longest) throw new Mismatch({ what: 'commission', expected: amount, found: 'no validator that has it' });
  withdrawCommission(state, longest, amount);
};

/** The height from which on the stake is liable: that of the votes before the set which signed. */
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

/** A double sign has a second event, which only jails. */
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

const onSubmitProposal: EventRule = (event, { context, messages }) => {
  const id = attributeOrNone(event, 'proposal_id');
  if (id === undefined) return; // tells that voting has begun
  const message = messages?.proposal(event, attributeOrNone(event, 'proposal_messages'));
  if (message) keepProposal(context.state, id, message.messages);
};

/** Result of an expedited proposal that is voted on again as a regular one: it stays open. */
const OPEN_AGAIN = 'expedited_proposal_rejected';

const onActiveProposal: EventRule = (event, { context }) => {
  const [id, result] = [attribute(event, 'proposal_id'), attribute(event, 'proposal_result')];
  if (result === 'proposal_passed') {
    applyProposal(context.state, id);
    context.moved = true;
  } else if (result !== OPEN_AGAIN) dropProposal(context.state, id);
};

/** A proposal that never had its deposit, or that its proposer cancelled. */
const onProposalDropped: EventRule = (event, { context }) =>
  dropProposal(context.state, attribute(event, 'proposal_id'));

/** Coins of the three module accounts whose balances the sums are compared with. */
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
  submit_proposal: onSubmitProposal,
  active_proposal: onActiveProposal,
  inactive_proposal: onProposalDropped,
  cancel_proposal: onProposalDropped,
  coin_received: movesCoins('receiver', 1n),
  coin_spent: movesCoins('spender', -1n),
};
