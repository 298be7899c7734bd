/** Losses of one slash by delegator, summed up while it runs: coins that are lost without any movement of the bank. */

import type { BlockContext, Validator } from '../state.js';
import { wholePart } from '../values/decimal18.js';
import { secondOf } from '../values/time.js';
import { tokensFromShares } from './unclaimed-reward.js';

/** Place of the event that tells of a slash, and the slash's reason. */
export interface SlashPlace {
  /** Index of the slash among the events of its transaction, or of the block. */
  readonly event: number;
  /** Transaction, by index and hash; undefined for the block's own slashes. */
  readonly transaction: { readonly index: number; readonly hash: string } | undefined;
  /** The reason as the event says it; consumer_… for faults on consumer chains. */
  readonly reason: string;
}

/** Base units. */
interface Loss {
  delegated: bigint;
  unbonding: bigint;
  redelegated: bigint;
}

/** Base units that a delegation shows as its balance: cut off. */
const worthOf = (shares: bigint, validator: Validator) => wholePart(tokensFromShares(shares, validator));

/** Base units of a wallet's delegation, which may be gone, and the validator with it. */
function delegatedBy(delegator: string, validator: Validator): bigint {
  const delegation = validator.delegations.get(delegator);
  return delegation ? worthOf(delegation.shares, validator) : 0n;
}

export class SlashLosses {
  private readonly losses = new Map<string, Loss>();

  add(delegator: string, kind: keyof Loss, amount: bigint): void {
    if (amount === 0n) return;
    const loss = this.losses.get(delegator) ?? { delegated: 0n, unbonding: 0n, redelegated: 0n };
    this.losses.set(delegator, loss);
    loss[kind] += amount;
  }

  /** Adds what the validator's delegations lose through a change. */
  ofDelegations(validator: Validator, change: () => void): void {
    const before = [...validator.delegations.shares()].map(([delegator, shares]) => {
      return { delegator, shares, worth: worthOf(shares, validator) };
    });
    change();
    for (const { delegator, shares, worth } of before) {
      this.add(delegator, 'delegated', worth - worthOf(shares, validator));
    }
  }

  /** Adds what one delegation loses, which may be all of it. */
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
