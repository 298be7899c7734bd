/**
 * Messages of a model chain. Each function runs the message and returns it decoded, or undefined if the chain would reject
 * it.
 */
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { message } from '../small-chain.js';
import {
  BOND_DENOM,
  type Chain,
  DISTRIBUTION,
  type Entry,
  NOT_BONDED_POOL,
  pairKey,
  poolOf,
  type Rule,
  type Validator,
} from './chain.js';
import { coin, decimalText, least, plus, toDecimals, truncateInt, UNIT } from './decimal.js';
import {
  allocateToValidator,
  initializeDelegation,
  tokensFromShares,
  withdraw,
  withdrawCommission,
} from './distribution.js';
import { LIQUID_RULES } from './liquid.js';
import { consumerDoubleVoting, consumerDowntime, proposeProviderLimit, proposeUpgrade } from './provider.js';
import { addUnbonding, asked, delegate, hasRate, unbond, wouldRemove } from './staking.js';

const MAX_ENTRIES = 7;
const uatom = (amount: bigint) => `${amount}${BOND_DENOM}`;
const asCoin = (amount: bigint, denom = BOND_DENOM) => ({ denom, amount: String(amount) });
const at = (validatorAddress: string, delegatorAddress: string) => ({ validatorAddress, delegatorAddress });

const msgDelegate: Rule = (chain, { delegator, validator, amount: wished }) => {
  const amount = least(wished, chain.balance(delegator));
  if (amount === 0n || !hasRate(validator)) return undefined;
  const shares = decimalText(delegate(chain, validator, delegator, amount, delegator));
  const { operator } = validator;
  chain.emit('delegate', { validator: operator, delegator, amount: uatom(amount), new_shares: shares });
  const value = { ...at(operator, delegator), amount: asCoin(amount) };
  return message('/cosmos.staking.v1beta1.MsgDelegate', value);
};

const msgUndelegate: Rule = (chain, request) => {
  const { delegator, validator } = request;
  const { operator } = validator;
  const wish = asked(chain, request);
  const entries = chain.unbondings.get(pairKey(delegator, operator))?.entries ?? [];
  if (!wish || entries.length >= MAX_ENTRIES) return undefined;
  const paid = unbond(chain, validator, delegator, wish.shares);
  if (validator.status === 'BOND_STATUS_BONDED') chain.sendBonded(poolOf(validator), NOT_BONDED_POOL, paid);
  addUnbonding(chain, validator, delegator, paid);
  chain.emit('unbond', { validator: operator, amount: uatom(paid), delegator });
  const value = { ...at(operator, delegator), amount: asCoin(wish.amount) };
  return message('/cosmos.staking.v1beta1.MsgUndelegate', value);
};

/** getBeginInfo: start of an entry; undefined if the source is unbonded. */
function beginInfo(chain: Chain, { status, unbondingTime, unbondingHeight }: Validator) {
  if (status === 'BOND_STATUS_UNBONDED') return undefined;
  if (status === 'BOND_STATUS_UNBONDING') return { completion: unbondingTime, height: unbondingHeight };
  return { completion: chain.time + chain.parameters.unbondingTime, height: chain.height };
}

const isDestination = (chain: Chain, delegator: string, operator: string) =>
  [...chain.redelegations.values()].some((one) => one.delegator === delegator && one.destination === operator);

const msgBeginRedelegate: Rule = (chain, request) => {
  const { delegator, validator: source, destination } = request;
  const key = `${pairKey(delegator, source.operator)} ${destination.operator}`;
  const wish = asked(chain, request);
  if (!wish || source === destination || !hasRate(destination)) return undefined;
  if (isDestination(chain, delegator, source.operator)) return undefined;
  const moved = chain.redelegations.get(key);
  if ((moved?.entries.length ?? 0) >= MAX_ENTRIES) return undefined;
  if (wouldRemove(source, wish.shares)) return undefined;
  if (truncateInt(tokensFromShares(source, wish.shares)) === 0n) return undefined;
  const from = poolOf(source);
  const amount = unbond(chain, source, delegator, wish.shares);
  const sharesDst = delegate(chain, destination, delegator, amount, from);
  const begin = beginInfo(chain, source);
  if (begin) {
    const entry: Entry = { ...begin, initialBalance: amount, balance: amount, sharesDst };
    if (moved) moved.entries.push(entry);
    else {
      const pair = { delegator, operator: source.operator, destination: destination.operator };
      chain.redelegations.set(key, { ...pair, entries: [entry] });
    }
    chain.redelegationQueue.push({ completion: begin.completion, key });
  }
  const validators = { source_validator: source.operator, destination_validator: destination.operator };
  chain.emit('redelegate', { ...validators, amount: uatom(wish.amount) });
  return message('/cosmos.staking.v1beta1.MsgBeginRedelegate', {});
};

const msgCancelUnbonding: Rule = (chain, { delegator, validator, amount: wished, choice }) => {
  const { operator } = validator;
  const key = pairKey(delegator, operator);
  const unbonding = chain.unbondings.get(key);
  if (!unbonding || validator.jailed || !hasRate(validator)) return undefined;
  const { height } = unbonding.entries[choice % unbonding.entries.length]!;
  const entry = unbonding.entries.find((one) => one.height === height)!;
  const amount = least(wished, entry.balance);
  if (amount === 0n || entry.completion < chain.time) return undefined;
  delegate(chain, validator, delegator, amount, NOT_BONDED_POOL);
  entry.balance -= amount;
  if (entry.balance > 0n) entry.initialBalance -= amount;
  else unbonding.entries = unbonding.entries.filter((one) => one !== entry);
  if (unbonding.entries.length === 0) chain.unbondings.delete(key);
  const about = { validator: operator, delegator, creation_height: String(height) };
  chain.emit('cancel_unbonding_delegation', { amount: uatom(amount), ...about });
  return message('/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation', {});
};

const msgWithdrawReward: Rule = (chain, { delegator, validator }) => {
  if (!chain.delegations.has(pairKey(delegator, validator.operator))) return undefined;
  withdraw(chain, validator, delegator);
  initializeDelegation(chain, validator, delegator);
  return message('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', {});
};

const msgWithdrawCommission: Rule = (chain, { validator }) => {
  if (chain.rewards.get(validator.operator)!.commission.size === 0) return undefined;
  withdrawCommission(chain, validator);
  const value = { validatorAddress: validator.operator };
  return message('/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission', value);
};

const msgSetWithdrawAddress: Rule = (chain, { delegator, destination }) => {
  chain.withdrawAddresses.set(delegator, destination.account);
  return message('/cosmos.distribution.v1beta1.MsgSetWithdrawAddress', {});
};

const msgDepositRewards: Rule = (chain, { delegator, validator, amount: wished, denom }) => {
  const amount = least(wished, chain.balance(delegator, denom));
  if (amount === 0n) return undefined;
  chain.send(delegator, DISTRIBUTION, coin(denom, amount));
  allocateToValidator(chain, validator, toDecimals(coin(denom, amount)));
  return message('/cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool', {
    validatorAddress: validator.operator,
  });
};

const msgFundCommunityPool: Rule = (chain, { delegator, amount: wished, denom }) => {
  const coins = coin(denom, least(wished, chain.balance(delegator, denom)));
  chain.send(delegator, DISTRIBUTION, coins);
  chain.communityPool = plus(chain.communityPool, toDecimals(coins));
  return message('/cosmos.distribution.v1beta1.MsgFundCommunityPool', {});
};

/** Each operator has at most one validator. */
const msgCreateValidator: Rule = (chain, { amount: wished, choice }) => {
  const number = 1 + (choice % 6);
  if ([...chain.validators.values()].some((one) => one.number === number)) return undefined;
  const minSelfDelegation = 1n + (wished % 1000n);
  const validator = chain.addValidator(number, minSelfDelegation, (UNIT * BigInt(choice % 4)) / 3n);
  const amount = least(wished + minSelfDelegation, chain.balance(validator.account));
  delegate(chain, validator, validator.account, amount, validator.account);
  const { operator: validatorAddress, publicKey } = validator;
  chain.emit('create_validator', { validator: validatorAddress, amount: uatom(amount) });
  const key = PubKey.encode({ key: Buffer.from(publicKey, 'base64') }).finish();
  const pubkey = { typeUrl: PubKey.typeUrl, value: key };
  const commission = { rate: String(validator.rate) };
  const value = { pubkey, validatorAddress, minSelfDelegation: String(minSelfDelegation), commission };
  return message('/cosmos.staking.v1beta1.MsgCreateValidator', value);
};

const msgEditValidator: Rule = (chain, { validator, amount, choice }) => {
  const minSelfDelegation = validator.minSelfDelegation + 1n + (amount % 1_000_000n);
  if (minSelfDelegation > validator.tokens) return undefined;
  validator.minSelfDelegation = minSelfDelegation;
  const commissionRate = choice % 3 === 0 ? '' : String(amount % UNIT);
  if (commissionRate !== '') validator.rate = BigInt(commissionRate);
  chain.emit('edit_validator', {
    commission_rate: `commission_rates:<rate:"${validator.rate}" > `,
    min_self_delegation: String(minSelfDelegation),
  });
  const validatorAddress = validator.operator;
  const value = { validatorAddress, minSelfDelegation: String(minSelfDelegation), commissionRate };
  return message('/cosmos.staking.v1beta1.MsgEditValidator', value);
};

const msgUnjail: Rule = (chain, { validator }) => {
  const self = chain.delegations.get(pairKey(validator.account, validator.operator));
  if (!self || !validator.jailed || validator.tombstoned) return undefined;
  if (truncateInt(tokensFromShares(validator, self.shares)) < validator.minSelfDelegation) return undefined;
  validator.jailed = false;
  return message('/cosmos.slashing.v1beta1.MsgUnjail', { validatorAddr: validator.operator });
};

const msgSubmitProposal: Rule = (chain, { amount, choice }) => {
  const id = chain.nextProposal++;
  const { parameters } = chain;
  const [unbondingTime, maxValidators] = [parameters.unbondingTime + BigInt(choice), 1 + (choice % 5)];
  const seconds = unbondingTime / 1_000_000_000n;
  const nanos = Number(unbondingTime % 1_000_000_000n);
  const fraction = amount % UNIT;
  const text = new TextEncoder().encode(String(fraction));
  const staking = StakingUpdate.fromPartial({ params: { unbondingTime: { seconds, nanos }, maxValidators } });
  const slashing = SlashingUpdate.fromPartial({
    params: { slashFractionDowntime: text, slashFractionDoubleSign: text },
  });
  chain.proposals.set(id, { unbondingTime, maxValidators, downtime: fraction, doubleSign: fraction });
  chain.emit('submit_proposal', { proposal_id: String(id) });
  const messages = [
    { typeUrl: StakingUpdate.typeUrl, value: StakingUpdate.encode(staking).finish() },
    { typeUrl: SlashingUpdate.typeUrl, value: SlashingUpdate.encode(slashing).finish() },
  ];
  return message('/cosmos.gov.v1.MsgSubmitProposal', { messages });
};

export const RULES = {
  delegate: msgDelegate,
  undelegate: msgUndelegate,
  redelegate: msgBeginRedelegate,
  cancel: msgCancelUnbonding,
  claim: msgWithdrawReward,
  commission: msgWithdrawCommission,
  withdrawAddress: msgSetWithdrawAddress,
  deposit: msgDepositRewards,
  fund: msgFundCommunityPool,
  create: msgCreateValidator,
  edit: msgEditValidator,
  unjail: msgUnjail,
  ...LIQUID_RULES,
  propose: msgSubmitProposal,
  proposeUpgrade,
  proposeProviderLimit,
  consumerDowntime,
  consumerDoubleVoting,
} satisfies Record<string, Rule>;

export type Kind = keyof typeof RULES;
