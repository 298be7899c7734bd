/** Rows of delegations, unbonding entries, slashes and validators' days. */
import type {
  DelegationSpan,
  UnbondingInterval,
  ValidatorDay,
  ValidatorEdge,
} from '../../../schemas/types.generated.js';
import type { Delegation } from '../delegations.js';
import type { BlockContext, Emit, HoldingsState, Rate, Slash, UnbondingEntry, Validator } from '../state.js';
import { formatDecCoins, fromWhole } from '../values/decimal18.js';
import { secondOf } from '../values/time.js';
import { closingRatio, knownCommissionRate, payableCommission } from './validator.js';

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
export function closeInterval(
  { height, emit }: BlockContext,
  validator: Validator,
  delegator: string,
  delegation: Delegation,
): void {
  if (delegation.height === height) return;
  emit('delegation_spans', delegationSpan(validator, delegator, delegation, height));
}

/** Emits the ratio as a separate row. Otherwise every nightly run would repeat it in the rows of open delegations. */
export function emitRatio(
  emit: Emit,
  { denoms }: HoldingsState,
  { operator }: Validator,
  { height, period, ratio }: Pick<Delegation, 'height' | 'period' | 'ratio'>,
): void {
  emit('reward_ratios', { validator: operator, height, period, ratio: formatDecCoins(ratio, denoms) });
}

export function unbondingInterval(
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

/** Notes a validator's tokens and shares. Must be called before either changes. */
export function noteRate({ ratesBefore }: BlockContext, { operator, tokens, shares }: Validator): void {
  if (!ratesBefore.has(operator)) ratesBefore.set(operator, { tokens, shares });
}

const NO_SHARES: Rate = { tokens: 0n, shares: 0n };

/** Writes the rates that the block has changed, except from one token a share to one token a share. */
export function emitRates({ state, height, emit, ratesBefore }: BlockContext): void {
  const isEven = ({ tokens, shares }: Rate) => fromWhole(tokens) === shares;
  for (const [validator, before] of ratesBefore) {
    const { tokens, shares } = state.validators.get(validator) ?? NO_SHARES;
    const isSame = tokens === before.tokens && shares === before.shares;
    if (isSame || (isEven(before) && isEven({ tokens, shares }))) continue;
    emit('validator_rates', { validator, height, tokens, shares });
  }
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

/** Writes what a claim of any delegation would pay depends on. At the end of a day, emitDay does. */
export function emitEdge({ denoms, height, validators }: HoldingsState, emit: Emit): void {
  for (const validator of validators.values()) {
    const { operator, tokens, shares } = validator;
    const ratio = formatDecCoins(closingRatio(validator), denoms);
    emit('validator_edges', { validator: operator, height, tokens, shares, ratio } satisfies ValidatorEdge);
  }
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
