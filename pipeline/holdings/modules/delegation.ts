/**
 * Delegations (x/staking) and their rewards (x/distribution, F1). Each validator has a sum of rewards per token. A
 * delegation stores this sum when it begins. Its reward is the growth of the sum since then. A redelegation entry is
 * stake that was moved to another validator, but can still be slashed for faults of the source validator.
 */
import type { DelegationSpan, UnbondingInterval, ValidatorDay } from '../../../schemas/types.generated.js';
import type { Delegation } from '../delegations.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import {
  type BlockContext,
  BONDED,
  type Emit,
  type HoldingsState,
  type Redelegations,
  type Slash,
  UNBONDED,
  UNBONDING,
  type UnbondingEntry,
  type Validator,
} from '../state.js';
import { JournaledMap } from '../undo-journal.js';
import {
  type Amounts,
  addTo,
  divide,
  divideTruncated,
  formatCoins,
  formatDecCoins,
  fromWhole,
  multiplyTruncated,
  ONE,
  smaller,
  subtractAll,
  wholePart,
} from '../values/decimal18.js';
import { secondOf } from '../values/time.js';
import { closingRatio, knownCommissionRate, payableCommission, removeValidator } from './validator.js';

function delegationSpan(
  validator: Validator,
  delegator: string,
  delegation: Delegation,
  to: number | null,
): DelegationSpan {
  return {
    delegator,
    validator: validator.operator,
    from_height: delegation.height,
    to_height: to,
    shares: delegation.shares,
    stake: delegation.stake,
    start_period: delegation.period,
  };
}

/**
 * Writes the row of an ended delegation interval. A delegation that began in the same block has earned nothing, so it
 * gets no row.
 */
function closeInterval(
  { height, emit }: BlockContext,
  validator: Validator,
  delegator: string,
  delegation: Delegation,
): void {
  if (delegation.height === height) return;
  emit('delegation_spans', delegationSpan(validator, delegator, delegation, height));
}

/** Emits the ratio as a separate row. Otherwise every nightly run would repeat it in the rows of open delegations. */
function emitRatio(
  emit: Emit,
  { denoms }: HoldingsState,
  { operator }: Validator,
  { height, period, ratio }: Pick<Delegation, 'height' | 'period' | 'ratio'>,
): void {
  emit('reward_ratios', { validator: operator, height, period, ratio: formatDecCoins(ratio, denoms) });
}

function unbondingInterval(
  operator: string,
  delegator: string,
  entry: UnbondingEntry,
  to: number | null,
): UnbondingInterval {
  return {
    delegator,
    validator: operator,
    creation_height: entry.creationHeight,
    completion_time: secondOf(entry.completion),
    from_height: entry.since,
    to_height: to,
    balance: entry.balance,
  };
}

function changeBalance(
  { state, height, emit }: BlockContext,
  operator: string,
  delegator: string,
  entry: UnbondingEntry,
  balance: bigint,
): UnbondingEntry {
  if (entry.balance > 0n && entry.since < height) {
    emit('unbonding_intervals', unbondingInterval(operator, delegator, entry, height));
  }
  state.unbonding += balance - entry.balance;
  return { ...entry, balance, since: height };
}

export function emitSlash(emit: Emit, { denoms }: HoldingsState, validator: Validator, slash: Slash): void {
  const { height, period, fraction, ratio } = slash;
  emit('validator_slashes', {
    validator: validator.operator,
    height,
    period,
    fraction,
    ratio: formatDecCoins(ratio, denoms),
  });
}

function validatorDay({ denoms, day, height }: HoldingsState, validator: Validator): ValidatorDay {
  const { operator, tokens, shares } = validator;
  return {
    validator: operator,
    day,
    close_height: height,
    tokens,
    shares,
    ratio: formatDecCoins(closingRatio(validator), denoms),
    commission: payableCommission(validator, denoms),
    commission_rate: knownCommissionRate(validator),
  };
}

export function emitDay(state: HoldingsState, emit: Emit): void {
  for (const validator of state.validators.values()) emit('validator_days', validatorDay(state, validator));
}

export function openRows(state: HoldingsState, emit: Emit): void {
  for (const validator of state.validators.values()) {
    for (const [delegator, delegation] of validator.delegations) {
      emit('delegation_spans', delegationSpan(validator, delegator, delegation, null));
    }
  }
  for (const [operator, pairs] of state.unbondings) {
    for (const [delegator, entries] of pairs) {
      for (const entry of entries) {
        if (entry.balance > 0n) emit('unbonding_intervals', unbondingInterval(operator, delegator, entry, null));
      }
    }
  }
  if (state.day !== '') emitDay(state, emit);
}

export function startingRows(state: HoldingsState, emit: Emit): void {
  for (const validator of state.validators.values()) {
    for (const slash of validator.slashes) emitSlash(emit, state, validator, slash);
    for (const [, delegation] of validator.delegations) emitRatio(emit, state, validator, delegation);
  }
}

/** Returns the shares for an amount, like SharesFromTokens in the SDK. @param amount base units */
export function sharesFromTokens({ operator, tokens, shares }: Validator, amount: bigint): bigint {
  if (tokens === 0n) {
    throw new Mismatch({ what: 'tokens', validator: operator, expected: 'more than 0', found: '0' });
  }
  return (shares * amount) / tokens;
}

/** Returns the shares to remove for a requested amount, at most all shares (SDK: ValidateUnbondAmount). */
export function sharesToRemove(validator: Validator, delegation: Delegation, asked: bigint): bigint {
  return smaller(sharesFromTokens(validator, asked), delegation.shares);
}

/**
 * Adds an amount to a delegation, after paying the reward if the delegation already exists. @returns the issued shares
 */
export function delegate(context: BlockContext, validator: Validator, delegator: string, amount: bigint): bigint {
  let held = 0n;
  if (validator.delegations.has(delegator)) held = withdrawReward(context, validator, delegator);
  else endPeriod(validator);
  const issued = validator.shares === 0n ? fromWhole(amount) : sharesFromTokens(validator, amount);
  validator.tokens += amount;
  validator.shares += issued;
  beginDelegation(context, validator, delegator, held + issued);
  context.moved = true;
  return issued;
}

/** Removes shares after paying the reward. A validator's last shares get all its tokens. @returns base units */
export function unbond(context: BlockContext, validator: Validator, delegator: string, shares: bigint): bigint {
  const rest = withdrawReward(context, validator, delegator) - shares;
  if (delegator === validator.account && !validator.jailed) {
    validator.jailed = wholePart(tokensFromShares(rest, validator)) < validator.minSelfDelegation;
  }
  if (rest === 0n) validator.delegations.delete(delegator);
  else beginDelegation(context, validator, delegator, rest); // the SDK also begins the delegation before tokens and shares change

  const isLast = shares === validator.shares;
  const paid = isLast ? validator.tokens : wholePart(tokensFromShares(shares, validator));
  validator.shares -= shares;
  validator.tokens -= paid;
  context.moved = true;
  if (isLast && validator.status === UNBONDED) removeValidator(context.state, validator);
  return paid;
}

/**
 * Ends the current reward period, like IncrementValidatorPeriod in the SDK. If the validator has no tokens, the
 * period's rewards go to the community pool.
 */
export function endPeriod(validator: Validator): void {
  if (validator.tokens === 0n) subtractAll(validator.outstanding, validator.current);
  validator.ratio = closingRatio(validator);
  validator.current.fill(0n);
  validator.period += 1;
}

export function newDelegation(validator: Validator, shares: bigint, height: number): Delegation {
  const { period, ratio, tokens } = validator;
  const stake = divideTruncated(shares * tokens, validator.shares);
  return { shares, stake, period: period - 1, height, ratio };
}

export function beginDelegation(
  { state, height, emit }: Pick<BlockContext, 'state' | 'height' | 'emit'>,
  validator: Validator,
  delegator: string,
  shares: bigint,
): void {
  const delegation = newDelegation(validator, shares, height);
  validator.delegations.set(delegator, delegation);
  emitRatio(emit, state, validator, delegation);
}

export function delegationOf(validator: Validator, delegator: string): Delegation {
  const delegation = validator.delegations.get(delegator);
  if (delegation) return delegation;
  throw new Mismatch({
    what: 'delegation',
    validator: validator.operator,
    wallet: delegator,
    expected: 'one',
    found: 'none',
  });
}

/**
 * Pays whole units of the reward; the fraction goes to the community pool (SDK: withdrawDelegationRewards). Compares
 * the payment with the next withdraw_rewards event.
 * @returns the delegation's shares, with which the caller must begin the delegation again
 */
function withdrawReward(context: BlockContext, validator: Validator, delegator: string): bigint {
  const { state, height, withdrawals } = context;
  const delegation = delegationOf(validator, delegator);
  endPeriod(validator);
  const reward = reward18(validator, delegation, delegator, height);
  for (let denom = 0; denom < reward.length; denom++) {
    const outstanding = validator.outstanding[denom] ?? 0n;
    if (reward[denom]! > outstanding) reward[denom] = outstanding;
  }
  subtractAll(validator.outstanding, reward);
  closeInterval(context, validator, delegator, delegation);
  const event = withdrawals.shift();
  const about = { what: 'withdrawn reward', validator: validator.operator, wallet: delegator };
  expectEqual(
    event ? `${whole(event.amount)} for ${event.delegator} at ${event.validator}` : 'no withdraw_rewards',
    `${formatCoins(reward.map(wholePart), state.denoms)} for ${delegator} at ${validator.operator}`,
    about,
  );
  return delegation.shares;
}

/** Returns the coins of an event; '' if nothing was paid. For this case, some events contain '0stake' and some ''. */
const whole = (amount: string) => (/^0[a-zA-Z]/.test(amount) ? '' : amount);

function reward18(validator: Validator, delegation: Delegation, delegator: string, height: number): bigint[] {
  try {
    const { tokens, shares, ratio, slashes } = validator;
    return accruedReward(delegation, slashes, { height, tokens, shares, ratio });
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new Mismatch({ ...error.difference, validator: validator.operator, wallet: delegator });
  }
}

export function claimReward(context: BlockContext, validator: Validator, delegator: string): void {
  beginDelegation(context, validator, delegator, withdrawReward(context, validator, delegator));
}

/**
 * In 10^-18 base units. Because of rounding, a stake may exceed the value of its shares by up to this much. The chain
 * then uses the value of the shares.
 */
const ROUNDING_ERROR = 3n;

interface Valuation {
  readonly height: number;
  readonly tokens: bigint;
  readonly shares: bigint;
  readonly ratio: Amounts;
}

/** Returns the value of shares in base units × 10^18, like TokensFromShares in the SDK. */
export function tokensFromShares(shares: bigint, validator: { tokens: bigint; shares: bigint }): bigint {
  return divide(shares * validator.tokens, validator.shares);
}

/**
 * Returns the reward in 10^-18 base units (SDK: CalculateDelegationRewards). Each slash reduces the stake. Example:
 * stake 1,000, ratio 0.10 at the start, 0.20 at a slash of 10 %, 0.25 at the end: 1,000 × 0.10 + 900 × 0.05 = 145.
 * @throws Mismatch if the stake exceeds the value of the shares
 */
export function accruedReward(start: Delegation, slashes: readonly Slash[], end: Valuation): bigint[] {
  const reward: bigint[] = [];
  if (start.height === end.height) return reward;
  let { stake, period, ratio } = start;
  for (const slash of slashes) {
    if (slash.height < start.height || slash.height > end.height || slash.period <= period) continue;
    addGrowth(reward, ratio, slash.ratio, stake);
    stake = multiplyTruncated(stake, ONE - slash.fraction);
    period = slash.period;
    ratio = slash.ratio;
  }
  const worth = tokensFromShares(start.shares, end);
  if (stake > worth) {
    if (stake > worth + ROUNDING_ERROR) {
      throw new Mismatch({ what: 'stake', expected: `at most ${worth}`, found: String(stake) });
    }
    stake = worth;
  }
  addGrowth(reward, ratio, end.ratio, stake);
  return reward;
}

function addGrowth(reward: bigint[], from: Amounts, to: Amounts, stake: bigint): void {
  for (let denom = 0; denom < to.length; denom++) {
    const growth = to[denom]! - (from[denom] ?? 0n);
    if (growth !== 0n) addTo(reward, denom, multiplyTruncated(growth, stake));
  }
}

export function unbondingEntries(state: HoldingsState, operator: string, delegator: string): readonly UnbondingEntry[] {
  return state.unbondings.get(operator)?.get(delegator) ?? [];
}

function replaceEntries(
  state: HoldingsState,
  operator: string,
  delegator: string,
  entries: readonly UnbondingEntry[],
): void {
  const pairs = state.unbondings.get(operator) ?? new JournaledMap<string, readonly UnbondingEntry[]>(state.journal);
  if (entries.length > 0) {
    pairs.set(delegator, entries);
    state.unbondings.set(operator, pairs);
  } else {
    pairs.delete(delegator);
    if (pairs.size === 0) state.unbondings.delete(operator);
  }
}

const replaced = (entries: readonly UnbondingEntry[], one: UnbondingEntry, other: UnbondingEntry) =>
  entries.map((entry) => (entry === one ? other : entry));

/** Adds an unbonding entry. Entries of the same block with the same completion time are merged. */
export function addUnbonding(context: BlockContext, operator: string, delegator: string, amount: bigint): void {
  const { state, height, time } = context;
  const completion = time + state.parameters.unbondingTime;
  const entries = unbondingEntries(state, operator, delegator);
  const same = entries.find((entry) => entry.creationHeight === height && entry.completion === completion);
  context.moved = true;
  const begun = { creationHeight: height, completion, initialBalance: 0n, balance: 0n, since: height };
  const entry = same ?? begun;
  const changed = changeBalance(context, operator, delegator, entry, entry.balance + amount);
  const grown = { ...changed, initialBalance: entry.initialBalance + amount };
  replaceEntries(state, operator, delegator, same ? replaced(entries, same, grown) : [...entries, grown]);
}

/** Cancels part of an unbonding entry. The caller must delegate the cancelled amount again. */
export function cancelUnbonding(
  context: BlockContext,
  operator: string,
  delegator: string,
  creationHeight: number,
  amount: bigint,
): void {
  const { state } = context;
  const entries = unbondingEntries(state, operator, delegator);
  const entry = entries.find((candidate) => candidate.creationHeight === creationHeight);
  if (!entry || entry.balance < amount) {
    const what = `unbonding entry of height ${creationHeight}`;
    const found = entry ? String(entry.balance) : 'no entry';
    throw new Mismatch({ what, validator: operator, wallet: delegator, expected: `at least ${amount}`, found });
  }
  context.moved = true;
  const changed = changeBalance(context, operator, delegator, entry, entry.balance - amount);
  const left = { ...changed, initialBalance: entry.initialBalance - amount };
  const others = entries.filter((other) => other !== entry);
  replaceEntries(state, operator, delegator, left.balance === 0n ? others : replaced(entries, entry, left));
}

export function completeUnbonding(context: BlockContext, operator: string, delegator: string, paid: bigint): void {
  const { state, time } = context;
  const entries = unbondingEntries(state, operator, delegator);
  let sum = 0n;
  for (const entry of entries) {
    if (entry.completion > time) continue;
    sum += entry.balance;
    changeBalance(context, operator, delegator, entry, 0n);
  }
  context.moved = true;
  expectEqual(paid, sum, { what: 'completed unbonding', validator: operator, wallet: delegator });
  replaceEntries(
    state,
    operator,
    delegator,
    entries.filter((entry) => entry.completion > time),
  );
}

export function isSlashable(entry: { creationHeight: number; completion: bigint }, infraction: number, time: bigint) {
  return entry.creationHeight >= infraction && entry.completion > time;
}

export function slashedPart(entry: { initialBalance: bigint }, fraction: bigint): bigint {
  return wholePart(fraction * entry.initialBalance);
}

export function burnUnbonding(
  context: BlockContext,
  operator: string,
  delegator: string,
  entry: UnbondingEntry,
  amount: bigint,
): bigint {
  const burned = amount < entry.balance ? amount : entry.balance;
  context.moved = true;
  if (burned === 0n) return burned;
  const entries = unbondingEntries(context.state, operator, delegator);
  const left = changeBalance(context, operator, delegator, entry, entry.balance - burned);
  replaceEntries(context.state, operator, delegator, replaced(entries, entry, left));
  return burned;
}

interface Origin {
  readonly creationHeight: number;
  readonly completion: bigint;
}

/**
 * Returns height and time from which a redelegation counts. Returns undefined if the source validator is already
 * unbonded, because the SDK then creates no redelegation entry. Must be called before unbond, which may remove the
 * validator.
 */
function redelegationOrigin({ state, height, time }: BlockContext, source: Validator): Origin | undefined {
  if (source.status === BONDED) return { creationHeight: height, completion: time + state.parameters.unbondingTime };
  if (source.status === UNBONDING) {
    return { creationHeight: source.unbondingHeight, completion: source.unbondingTime };
  }
  return undefined;
}

/**
 * Moves stake to another validator, like BeginRedelegation in the SDK.
 * @param asked requested base units
 * @throws Mismatch if no token moves, because such a message fails on the chain (ErrTinyRedelegationAmount)
 */
export function beginRedelegation(
  context: BlockContext,
  source: Validator,
  destination: Validator,
  delegator: string,
  asked: bigint,
): void {
  const delegation = delegationOf(source, delegator);
  const origin = redelegationOrigin(context, source);
  const moved = unbond(context, source, delegator, sharesToRemove(source, delegation, asked));
  if (moved === 0n) {
    const about = { what: 'redelegated tokens', validator: source.operator, wallet: delegator };
    throw new Mismatch({ ...about, expected: 'more than 0', found: '0' });
  }
  const destinationShares = delegate(context, destination, delegator, moved);
  if (!origin) return;
  const { redelegations, journal } = context.state;
  const key = `${delegator}/${destination.operator}`;
  const ofSource = redelegations.get(source.operator) ?? new JournaledMap<string, Redelegations>(journal);
  redelegations.set(source.operator, ofSource);
  const entries = [...(ofSource.get(key)?.entries ?? []), { ...origin, initialBalance: moved, destinationShares }];
  ofSource.set(key, { delegator, destination: destination.operator, entries });
}

export function completeRedelegation(
  { state, time }: BlockContext,
  source: string,
  delegator: string,
  destination: string,
): void {
  const ofSource = state.redelegations.get(source);
  const key = `${delegator}/${destination}`;
  const redelegation = ofSource?.get(key);
  if (!ofSource || !redelegation) return;
  const entries = redelegation.entries.filter((entry) => entry.completion > time);
  if (entries.length > 0) ofSource.set(key, { ...redelegation, entries });
  else ofSource.delete(key);
  if (ofSource.size === 0) state.redelegations.delete(source);
}
