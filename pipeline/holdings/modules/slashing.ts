/**
 * Slashing (x/staking Slash): burns a part of what stood behind a validator at its fault: first what left it since then, by
 * undelegating or redelegating, and the rest of its own tokens.
 */

import { expectEqual } from '../holdings-error.js';
import type { BlockContext, RedelegationEntry, Redelegations, Validator } from '../state.js';
import { divideUp, multiply, ONE, smaller, wholePart } from '../values/decimal18.js';
import { unbond } from './delegation.js';
import { emitSlash } from './intervals.js';
import { endPeriod } from './reward-periods.js';
import { SlashLosses, type SlashPlace } from './slash-losses.js';
import { burnUnbonding, isSlashable, leaving, slashedPart, unbondingEntries } from './unbonding.js';
import { compareAddresses, POWER_REDUCTION } from './validator.js';

export interface Fault extends SlashPlace {
  /** Height from which on the stake was liable. */
  readonly height: number;
  readonly fraction: bigint;
  /** Voting power at the fault. */
  readonly power: bigint;
}

/** Slashes what is delegated to a validator by a fraction, for a reason that no event tells: nothing else is liable then. */
export function slashFraction(context: BlockContext, validator: Validator, fraction: bigint): void {
  const losses = new SlashLosses();
  const burn = wholePart(validator.tokens * fraction);
  if (burn > 0n) slashTokens(context, validator, burn, losses);
  losses.emit(context, validator.operator, { event: 0, transaction: undefined, reason: 'correction' });
}

/** Slashes the validator. @param burned base units that the event says were burned of its tokens */
export function slashValidator(context: BlockContext, validator: Validator, fault: Fault, burned: bigint): void {
  const losses = new SlashLosses();
  let remaining = wholePart(fault.power * POWER_REDUCTION * fault.fraction);
  remaining -= slashUnbondings(context, validator.operator, fault, losses);
  remaining -= slashRedelegations(context, validator.operator, fault, losses);
  if (remaining < 0n) remaining = 0n;
  const burn = smaller(remaining, validator.tokens);
  expectEqual(burned, burn, { what: 'slashed tokens', validator: validator.operator });
  if (burn > 0n) slashTokens(context, validator, burn, losses);
  losses.emit(context, validator.operator, fault);
}

/** Base units that a slash burns of the validator's own tokens: what is left of the sum after all that had left the validator. */
export function tokensToBurn({ state, time }: BlockContext, validator: Validator, fault: Fault): bigint {
  let remaining = wholePart(fault.power * POWER_REDUCTION * fault.fraction);
  for (const { entries } of leaving(state, validator.operator)) {
    for (const entry of entries) {
      if (isSlashable(entry, fault.height, time)) remaining -= slashedPart(entry, fault.fraction);
    }
  }
  return remaining < 0n ? 0n : smaller(remaining, validator.tokens);
}

/** Fractions tried at the most. */
const TRIES_MAX = 1000;

/**
 * The decimal of fewest places by which a slash burns so much of the validator's own tokens, since people choose round fractions;
 * undefined when none is found.
 * @param burned base units, more than 0 and not all tokens
 */
export function fractionThatBurns(
  context: BlockContext,
  validator: Validator,
  fault: Omit<Fault, 'fraction'>,
  burned: bigint,
): bigint | undefined {
  const entries = [...leaving(context.state, validator.operator)].flatMap((one) => one.entries);
  const liable = entries.filter((entry) => isSlashable(entry, fault.height, context.time));
  const rest = fault.power * POWER_REDUCTION - liable.reduce((sum, { initialBalance }) => sum + initialBalance, 0n);
  if (rest <= 0n) return undefined;
  // Each part is cut off, so that at most a unit an entry stays with the tokens.
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

/** Burns of what is delegated: the shares stay, and each of them is worth less. */
function slashTokens(context: BlockContext, validator: Validator, burn: bigint, losses: SlashLosses): void {
  const fraction = smaller(ONE, divideUp(burn, validator.tokens));
  endPeriod(validator);
  const { ratio } = validator;
  const slash = {
    height: context.height,
    period: validator.period - 1,
    fraction,
    ratio,
  };
  validator.slashes.push(slash);
  emitSlash(context.emit, context.state, validator, slash);
  losses.ofDelegations(validator, () => {
    validator.tokens -= burn;
  });
  context.moved = true;
}

/** @returns the base units that were due, burned or not */
function slashUnbondings(
  context: BlockContext,
  operator: string,
  { height, fraction }: Fault,
  losses: SlashLosses,
): bigint {
  let due = 0n;
  for (const [delegator, entries] of context.state.unbondings.get(operator) ?? []) {
    for (const entry of entries) {
      if (!isSlashable(entry, height, context.time)) continue;
      const part = slashedPart(entry, fraction);
      due += part;
      losses.add(delegator, 'unbonding', burnUnbonding(context, operator, delegator, entry, part));
    }
  }
  return due;
}

/** @returns the base units that were due, burned or not */
function slashRedelegations(context: BlockContext, operator: string, fault: Fault, losses: SlashLosses): bigint {
  const redelegations = [...(context.state.redelegations.get(operator)?.values() ?? [])].sort(
    (a, b) => compareAddresses(a.delegator, b.delegator) || compareAddresses(a.destination, b.destination),
  );
  let due = 0n;
  for (const redelegation of redelegations) {
    for (const entry of redelegation.entries) {
      if (!isSlashable(entry, fault.height, context.time)) continue;
      due += slashedPart(entry, fault.fraction);
      slashRedelegation(context, redelegation, entry, fault, losses);
    }
  }
  return due;
}

/** Slashes a redelegation: what was undelegated since burns first; if that does not do, the delegation itself by the full part. */
function slashRedelegation(
  context: BlockContext,
  { delegator, destination }: Redelegations,
  entry: RedelegationEntry,
  { height, fraction }: Fault,
  losses: SlashLosses,
): void {
  let part = slashedPart(entry, fraction);
  for (const unbonding of unbondingEntries(context.state, destination, delegator)) {
    if (isSlashable(unbonding, height, context.time)) {
      const burned = burnUnbonding(context, destination, delegator, unbonding, part);
      losses.add(delegator, 'unbonding', burned);
      part -= burned;
    }
  }
  if (part === 0n) return;
  const validator = context.state.validators.get(destination);
  const delegation = validator?.delegations.get(delegator);
  if (!validator || !delegation) return;
  const shares = multiply(fraction, entry.destinationShares);
  if (shares === 0n) return;
  losses.ofRedelegation(validator, delegator, () => {
    unbond(context, validator, delegator, smaller(shares, delegation.shares));
  });
}
