import type { ChainEventRecord } from '../../chain/block.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { claimReward } from '../modules/delegation.js';
import { validatorOf } from '../modules/validator.js';
import type { BlockContext, ChoiceOf } from '../state.js';
import type { TransactionMessages } from './messages.js';

export interface Walk {
  readonly context: BlockContext;
  readonly messages: TransactionMessages | undefined;
  readonly choiceOf: ChoiceOf;
  readonly transaction: { readonly index: number; readonly hash: string } | undefined;
  readonly place: string;
  index: number;
  /** Amount of the last commission event in the bond denom, in 10^-18 base units. */
  commission: bigint;
}

export const placeOf = ({ index: event, transaction }: Walk) => ({ event, transaction });

export type EventRule = (event: ChainEventRecord, walk: Walk) => void;

export function attributeOrNone({ attributes }: ChainEventRecord, key: string): string | undefined {
  for (const attribute of attributes) if (attribute.key === key) return attribute.value;
  return undefined;
}

export function attribute(event: ChainEventRecord, key: string): string {
  const value = attributeOrNone(event, key);
  if (value !== undefined) return value;
  throw new Mismatch({ what: `event ${event.type}`, expected: `an attribute ${key}`, found: 'none' });
}

/** Returns an address in lower case, because events may contain addresses in capitals. */
export const addressOf = (event: ChainEventRecord, key: string): string => attribute(event, key).toLowerCase();

/** Parses the base units: '15uatom' and '15' give 15n, '' gives 0n. */
export function unitsOf(text: string): bigint {
  const digits = /^\d*/.exec(text)![0];
  return BigInt(digits);
}

/**
 * Treats waiting withdrawal events as reward claims. Skips the last `kept` events, because the next rule needs them.
 */
export function claimEarlier({ context }: Walk, kept: number): void {
  const { state, withdrawals } = context;
  while (withdrawals.length > kept) {
    const { validator, delegator } = withdrawals[0]!;
    claimReward(context, validatorOf(state, validator), delegator);
  }
}

export function expectNoWithdrawals({ context: { withdrawals } }: Walk): void {
  const [left] = withdrawals;
  if (left) {
    const { validator, delegator: wallet, amount } = left;
    expectEqual(`${amount || 'nothing'} paid`, 'no payment', { what: 'withdrawn reward', validator, wallet });
  }
}
