/**
 * Burns a fraction of the stake that a validator had when it committed a fault (x/staking Slash). First burns from
 * stake that has left since then: unbonding entries and redelegations. Burns the rest from the validator's tokens.
 */
import { expectEqual } from '../holdings-error.js';
import type { BlockContext, RedelegationEntry, Redelegations, Validator } from '../state.js';
import { divideUp, multiply, ONE, smaller, wholePart } from '../values/decimal18.js';
import { secondOf } from '../values/time.js';
import { endPeriod, tokensFromShares, unbond } from './delegation.js';
import { emitSlash, noteRate } from './stake-rows.js';
import { burnUnbonding, isSlashable, slashedPart, unbondingEntries } from './unbonding.js';
import { compareAddresses, POWER_REDUCTION } from './validator.js';

export interface Fault extends SlashPlace {
  readonly height: number;
  readonly fraction: bigint;
  readonly power: bigint;
}

export function slashFraction(context: BlockContext, validator: Validator, fraction: bigint): void {
  const losses = new SlashLosses();
  const burn = wholePart(validator.tokens * fraction);
  if (burn > 0n) slashTokens(context, validator, burn, losses);
  losses.emit(context, validator.operator, { event: 0, transaction: undefined, reason: 'correction' });
}

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
  noteRate(context, validator);
  losses.ofDelegations(validator, () => {
    validator.tokens -= burn;
  });
  context.moved = true;
}

/** Slashes unbonding entries. @returns base units to burn, even if less is left in the entries */
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

/** Slashes redelegations. @returns base units to burn, even if less is left in the entries */
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

/** Burns first from the wallet's unbonding entries at the destination validator, then from its delegation there. */
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

interface SlashPlace {
  readonly event: number;
  readonly transaction: { readonly index: number; readonly hash: string } | undefined;
  readonly reason: string;
}

interface Loss {
  delegated: bigint;
  unbonding: bigint;
  redelegated: bigint;
}

const worthOf = (shares: bigint, validator: Validator) => wholePart(tokensFromShares(shares, validator));

function delegatedBy(delegator: string, validator: Validator): bigint {
  const delegation = validator.delegations.get(delegator);
  return delegation ? worthOf(delegation.shares, validator) : 0n;
}

/** Losses of each delegator, in base units. No bank event contains them. */
class SlashLosses {
  private readonly losses = new Map<string, Loss>();

  add(delegator: string, kind: keyof Loss, amount: bigint): void {
    if (amount === 0n) return;
    const loss = this.losses.get(delegator) ?? { delegated: 0n, unbonding: 0n, redelegated: 0n };
    this.losses.set(delegator, loss);
    loss[kind] += amount;
  }

  ofDelegations(validator: Validator, change: () => void): void {
    const before = [...validator.delegations.shares()].map(([delegator, shares]) => {
      return { delegator, shares, worth: worthOf(shares, validator) };
    });
    change();
    for (const { delegator, shares, worth } of before) {
      this.add(delegator, 'delegated', worth - worthOf(shares, validator));
    }
  }

  ofRedelegation(validator: Validator, delegator: string, change: () => void): void {
    const worth = delegatedBy(delegator, validator);
    change();
    this.add(delegator, 'redelegated', worth - delegatedBy(delegator, validator));
  }

  emit({ height, time, emit }: BlockContext, validator: string, { event, transaction, reason }: SlashPlace): void {
    const { index: place, hash: tx_hash } = transaction ?? { index: -1, hash: `block:${height}` };
    const second = secondOf(time);
    for (const [delegator, loss] of this.losses) {
      emit('slash_losses', { height, time: second, place, tx_hash, event, delegator, validator, reason, ...loss });
    }
  }
}
