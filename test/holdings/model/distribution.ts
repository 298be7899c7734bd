/** x/distribution of cosmos-sdk v0.53.4: allocation, periods, withdrawals, with historical ratios, which the fold does not need. */
import { type Chain, DISTRIBUTION, pairKey, type Validator } from './chain.js';
import {
  type Coins,
  coinsText,
  decimalText,
  each,
  intersect,
  minus,
  mul,
  mulTruncate,
  NO_COINS,
  plus,
  quo,
  quoTruncate,
  toDecimals,
  UNIT,
  whole,
} from './decimal.js';

/** TokensFromShares. */
export const tokensFromShares = ({ tokens, shares }: Validator, part: bigint) => quo(part * tokens, shares);

/** AllocateTokensToValidator. @param tokens in 10^-18 base units */
export function allocateToValidator(chain: Chain, validator: Validator, tokens: Coins): void {
  const { operator, rate } = validator;
  const record = chain.rewards.get(operator)!;
  const commission = each(tokens, (amount) => mul(amount, rate));
  chain.emit('commission', { amount: coinsText(commission, decimalText), validator: operator });
  record.commission = plus(record.commission, commission);
  record.current = plus(record.current, minus(tokens, commission));
  chain.emit('rewards', { amount: coinsText(tokens, decimalText), validator: operator });
  record.outstanding = plus(record.outstanding, tokens);
  chain.slow.allocate(operator, minus(tokens, commission), validator.tokens);
}

/** AllocateTokens: distributes the previous block's fees by the power of its voters. */
export function allocate(chain: Chain, fees: Coins, votes: ReadonlyMap<string, number>, communityTax: bigint): void {
  chain.mint(DISTRIBUTION, fees);
  const collected = toDecimals(fees);
  const total = [...votes.values()].reduce((sum, power) => sum + power, 0);
  const shared = each(collected, (amount) => mulTruncate(amount, UNIT - communityTax));
  let remaining = collected;
  for (const [operator, power] of votes) {
    const part = quoTruncate(BigInt(power) * UNIT, BigInt(total) * UNIT);
    const reward = each(shared, (amount) => mulTruncate(amount, part));
    allocateToValidator(chain, chain.validators.get(operator)!, reward);
    remaining = minus(remaining, reward);
  }
  chain.communityPool = plus(chain.communityPool, remaining);
}

function ratioAt(chain: Chain, operator: string, period: number): Coins {
  const historical = chain.rewards.get(operator)!.historical.get(period);
  if (!historical) throw new Error(`the model has dropped period ${period} of ${operator} too early`);
  return historical.ratio;
}

function release(chain: Chain, operator: string, period: number): void {
  const { historical } = chain.rewards.get(operator)!;
  const ended = historical.get(period)!;
  ended.references -= 1;
  if (ended.references === 0) historical.delete(period);
}

/** IncrementValidatorPeriod. @returns the period that ended */
export function incrementPeriod(chain: Chain, { operator, tokens }: Validator): number {
  const record = chain.rewards.get(operator)!;
  let growth = NO_COINS;
  if (tokens === 0n) {
    chain.communityPool = plus(chain.communityPool, record.current);
    record.outstanding = minus(record.outstanding, record.current);
  } else growth = each(record.current, (amount) => quoTruncate(amount, tokens * UNIT));
  const ended = record.period;
  const ratio = plus(ratioAt(chain, operator, ended - 1), growth);
  release(chain, operator, ended - 1);
  record.historical.set(ended, { ratio, references: 1 });
  record.current = NO_COINS;
  record.period = ended + 1;
  return ended;
}

/** initializeDelegation. */
export function initializeDelegation(chain: Chain, validator: Validator, delegator: string): void {
  const { operator, tokens, shares } = validator;
  const record = chain.rewards.get(operator)!;
  const period = record.period - 1;
  record.historical.get(period)!.references += 1;
  const delegation = chain.delegations.get(pairKey(delegator, operator))!;
  const stake = quoTruncate(delegation.shares * tokens, shares);
  chain.startingInfos.set(pairKey(delegator, operator), { period, stake, height: chain.height });
  chain.slow.begin(pairKey(delegator, operator), operator, delegation.shares, validator);
}

const between = (from: Coins, to: Coins, stake: bigint) =>
  each(minus(to, from), (growth) => mulTruncate(growth, stake));

/** CalculateDelegationRewards. @param end ratio at the end of the last period @returns 10^-18 base units */
function calculateRewards(chain: Chain, validator: Validator, delegator: string, end: Coins): Coins {
  const { operator } = validator;
  const key = pairKey(delegator, operator);
  const start = chain.startingInfos.get(key)!;
  if (start.height === chain.height) return NO_COINS;
  let { stake, period } = start;
  let rewards = NO_COINS;
  for (const slash of chain.rewards.get(operator)!.slashes) {
    if (slash.height < start.height || slash.period <= period) continue;
    rewards = plus(rewards, between(ratioAt(chain, operator, period), ratioAt(chain, operator, slash.period), stake));
    stake = mulTruncate(stake, UNIT - slash.fraction);
    period = slash.period;
  }
  const worth = tokensFromShares(validator, chain.delegations.get(key)!.shares);
  if (stake > worth + 3n) throw new Error(`the chain would panic: a stake of ${stake} for ${worth}`);
  if (stake > worth) stake = worth;
  return plus(rewards, between(ratioAt(chain, operator, period), end, stake));
}

/** Reward as in the chain's query, as if the period ended now. */
export function queryRewards(chain: Chain, validator: Validator, delegator: string): Coins {
  const { current, period } = chain.rewards.get(validator.operator)!;
  const growth = validator.tokens === 0n ? NO_COINS : each(current, (amount) => amount / validator.tokens);
  const end = plus(ratioAt(chain, validator.operator, period - 1), growth);
  const rewards = calculateRewards(chain, validator, delegator, end);
  const key = pairKey(delegator, validator.operator);
  const start = chain.startingInfos.get(key)!;
  if (start.height < chain.height) chain.slow.expectEarned(key, rewards, end, period - start.period);
  return rewards;
}

export const withdrawAddress = (chain: Chain, delegator: string) => chain.withdrawAddresses.get(delegator) ?? delegator;

/** withdrawDelegationRewards. */
export function withdraw(chain: Chain, validator: Validator, delegator: string): void {
  const { operator } = validator;
  const record = chain.rewards.get(operator)!;
  const key = pairKey(delegator, operator);
  const ended = incrementPeriod(chain, validator);
  const raw = calculateRewards(chain, validator, delegator, ratioAt(chain, operator, ended));
  const rewards = intersect(raw, record.outstanding);
  const paid = whole(rewards);
  chain.send(DISTRIBUTION, withdrawAddress(chain, delegator), paid);
  record.outstanding = minus(record.outstanding, rewards);
  chain.communityPool = plus(chain.communityPool, minus(rewards, toDecimals(paid)));
  release(chain, operator, chain.startingInfos.get(key)!.period);
  chain.startingInfos.delete(key);
  chain.slow.end(key);
  chain.emit('withdraw_rewards', { amount: coinsText(paid) || '0stake', validator: operator, delegator });
}

/** WithdrawValidatorCommission. */
export function withdrawCommission(chain: Chain, { operator, account }: Validator): void {
  const record = chain.rewards.get(operator)!;
  const paid = whole(record.commission);
  record.commission = minus(record.commission, toDecimals(paid));
  record.outstanding = minus(record.outstanding, toDecimals(paid));
  chain.send(DISTRIBUTION, withdrawAddress(chain, account), paid);
  chain.emit('withdraw_commission', { amount: coinsText(paid) });
}

/** AfterValidatorRemoved. */
export function forgetValidator(chain: Chain, { operator, account }: Validator): void {
  const { outstanding, commission } = chain.rewards.get(operator)!;
  const paid = whole(commission);
  chain.send(DISTRIBUTION, withdrawAddress(chain, account), paid);
  chain.communityPool = plus(chain.communityPool, minus(outstanding, toDecimals(paid)));
  chain.rewards.delete(operator);
}
