/** x/staking of cosmos-sdk v0.53.4: delegations, entries, EndBlocker. */
import {
  BOND_DENOM,
  BONDED_POOL,
  type Chain,
  type Entry,
  NOT_BONDED_POOL,
  pairKey,
  poolOf,
  type Request,
  type UnbondingDelegation,
  type Validator,
} from './chain.js';
import { coin, coinsText, truncateInt, UNIT } from './decimal.js';
import { forgetValidator, incrementPeriod, initializeDelegation, tokensFromShares, withdraw } from './distribution.js';

/** SharesFromTokens. */
export const sharesFromTokens = ({ tokens, shares }: Validator, amount: bigint) => (shares * amount) / tokens;

/** False if everything was slashed: delegating and undelegating amounts then fail. */
export const hasRate = ({ tokens, shares }: Validator) => tokens > 0n || shares === 0n;

/** Delegate. @param from account or pool @returns issued shares */
export function delegate(chain: Chain, validator: Validator, delegator: string, amount: bigint, from: string): bigint {
  const key = pairKey(delegator, validator.operator);
  const known = chain.delegations.get(key);
  if (known) withdraw(chain, validator, delegator);
  else incrementPeriod(chain, validator);
  chain.sendBonded(from, poolOf(validator), amount);
  const issued = validator.shares === 0n ? amount * UNIT : sharesFromTokens(validator, amount);
  validator.tokens += amount;
  validator.shares += issued;
  const delegation = known ?? { delegator, operator: validator.operator, shares: 0n };
  delegation.shares += issued;
  chain.delegations.set(key, delegation);
  initializeDelegation(chain, validator, delegator);
  return issued;
}

/** Unbond. @returns base units */
export function unbond(chain: Chain, validator: Validator, delegator: string, shares: bigint): bigint {
  const key = pairKey(delegator, validator.operator);
  const delegation = chain.delegations.get(key)!;
  withdraw(chain, validator, delegator);
  delegation.shares -= shares;
  const left = truncateInt(tokensFromShares(validator, delegation.shares));
  if (delegator === validator.account && !validator.jailed && left < validator.minSelfDelegation) {
    validator.jailed = true;
  }
  if (delegation.shares === 0n) chain.delegations.delete(key);
  else initializeDelegation(chain, validator, delegator);
  const remaining = validator.shares - shares;
  const amount = remaining === 0n ? validator.tokens : truncateInt(tokensFromShares(validator, shares));
  validator.shares = remaining;
  validator.tokens -= amount;
  if (remaining === 0n && validator.status === 'BOND_STATUS_UNBONDED') removeValidator(chain, validator);
  return amount;
}

/** RemoveValidator. */
function removeValidator(chain: Chain, validator: Validator): void {
  if (validator.tokens !== 0n) throw new Error('the model removes a validator that has tokens');
  chain.validators.delete(validator.operator);
  forgetValidator(chain, validator);
}

/** Undelegate, after Unbond. Entries of one height and completion are merged, their queue slots are not. */
export function addUnbonding(chain: Chain, { operator }: Validator, delegator: string, balance: bigint): void {
  const key = pairKey(delegator, operator);
  const completion = chain.time + chain.parameters.unbondingTime;
  const unbonding = chain.unbondings.get(key) ?? { delegator, operator, entries: [] };
  chain.unbondings.set(key, unbonding);
  const same = unbonding.entries.find((entry) => entry.height === chain.height && entry.completion === completion);
  if (same) {
    same.balance += balance;
    same.initialBalance += balance;
  } else {
    unbonding.entries.push({ height: chain.height, completion, initialBalance: balance, balance, sharesDst: 0n });
  }
  chain.unbondingQueue.push({ completion, key });
}

/** TokensToConsensusPower. */
export const powerOf = ({ tokens }: Validator) => Number(tokens / 1_000_000n);

/** GetValidatorsPowerIndex order: power, then operator address. All addresses are of one length here. */
export function byRank(a: Validator, b: Validator): number {
  return powerOf(b) - powerOf(a) || a.number - b.number;
}

/** ApplyAndReturnValidatorSetUpdates. @returns changed powers by public key */
export function updateValidatorSet(chain: Chain): Map<string, number> {
  const before = chain.lastPowers;
  const ranked = [...chain.validators.values()].filter((one) => !one.jailed && powerOf(one) > 0).sort(byRank);
  const elected = ranked.slice(0, chain.parameters.maxValidators);
  const updates = new Map<string, number>();
  let joining = 0n;
  for (const validator of elected) {
    if (validator.status !== 'BOND_STATUS_BONDED') joining += validator.tokens;
    validator.status = 'BOND_STATUS_BONDED';
    if (before.get(validator.operator) !== powerOf(validator)) updates.set(validator.publicKey, powerOf(validator));
  }
  for (const operator of before.keys()) {
    const validator = chain.validators.get(operator)!;
    if (elected.includes(validator)) continue;
    validator.status = 'BOND_STATUS_UNBONDING';
    validator.unbondingTime = chain.time + chain.parameters.unbondingTime;
    validator.unbondingHeight = chain.height;
    joining -= validator.tokens;
    updates.set(validator.publicKey, 0);
  }
  if (joining > 0n) chain.sendBonded(NOT_BONDED_POOL, BONDED_POOL, joining);
  else chain.sendBonded(BONDED_POOL, NOT_BONDED_POOL, -joining);
  chain.lastPowers = new Map(elected.map((validator) => [validator.operator, powerOf(validator)]));
  return updates;
}

/** UnbondAllMatureValidators. */
export function matureValidators(chain: Chain): void {
  for (const validator of [...chain.validators.values()]) {
    if (validator.status !== 'BOND_STATUS_UNBONDING' || validator.unbondingTime > chain.time) continue;
    validator.status = 'BOND_STATUS_UNBONDED';
    if (validator.shares === 0n) removeValidator(chain, validator);
  }
}

/** Removes due queue slots and their mature entries; skips pairs without entries. */
function dequeue<Pair extends UnbondingDelegation>(
  queue: Chain['unbondingQueue'],
  time: bigint,
  pairs: Map<string, Pair>,
  complete: (pair: Pair, mature: readonly Entry[]) => void,
): Chain['unbondingQueue'] {
  for (const { key } of queue.filter(({ completion }) => completion <= time)) {
    const pair = pairs.get(key);
    if (!pair) continue;
    const mature = pair.entries.filter(({ completion }) => completion <= time);
    pair.entries = pair.entries.filter(({ completion }) => completion > time);
    if (pair.entries.length === 0) pairs.delete(key);
    complete(pair, mature);
  }
  return queue.filter(({ completion }) => completion > time);
}

/** CompleteUnbonding and CompleteRedelegation of due entries. */
export function completeEntries(chain: Chain): void {
  chain.unbondingQueue = dequeue(chain.unbondingQueue, chain.time, chain.unbondings, (pair, mature) => {
    const { delegator, operator } = pair;
    let sum = 0n;
    for (const { balance } of mature) {
      chain.sendBonded(NOT_BONDED_POOL, delegator, balance);
      sum += balance;
    }
    chain.emit('complete_unbonding', { amount: coinsText(coin(BOND_DENOM, sum)), validator: operator, delegator });
  });
  chain.redelegationQueue = dequeue(chain.redelegationQueue, chain.time, chain.redelegations, (pair) => {
    const { delegator, operator, destination } = pair;
    const validators = { source_validator: operator, destination_validator: destination };
    chain.emit('complete_redelegation', { amount: '', delegator, ...validators });
  });
}

/** ValidateUnbondAmount: limits the amount to the delegation; returns its shares. */
export function asked({ delegations }: Chain, { delegator, validator, amount: wished }: Request) {
  const delegation = delegations.get(pairKey(delegator, validator.operator));
  if (!delegation || validator.tokens === 0n) return undefined;
  const costsTooMuch = sharesFromTokens(validator, wished) > delegation.shares;
  const amount = costsTooMuch ? truncateInt(tokensFromShares(validator, delegation.shares)) : wished;
  const shares = sharesFromTokens(validator, amount);
  return amount === 0n || shares > delegation.shares ? undefined : { amount, shares, delegation };
}

/** Removing the last shares of an unbonded validator removes it; nothing can be delegated afterwards. */
export const wouldRemove = ({ status, shares }: Validator, part: bigint) =>
  status === 'BOND_STATUS_UNBONDED' && shares === part;

/** True if shares can be removed and delegated again: other shares must keep some tokens. */
export function canReturn(validator: Validator, part: bigint): boolean {
  const worth = truncateInt(tokensFromShares(validator, part));
  if (worth === 0n || wouldRemove(validator, part)) return false;
  return part === validator.shares || worth < validator.tokens;
}
