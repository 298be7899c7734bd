/** Common parts of the rules of single events: reading attributes, and telling which collected withdrawals are claims of their own. */
import type { ChainEventRecord } from '../../chain/block.js';
import { expectEqual, Mismatch } from '../holdings-error.js';
import { claimReward } from '../modules/reward-periods.js';
import { validatorOf } from '../modules/validator.js';
import type { BlockContext, ChoiceOf } from '../state.js';
import type { TransactionMessages } from './messages.js';

/** The events of one transaction, or of a block's beginning or end, under way. */
export interface Walk {
  readonly context: BlockContext;
  /** undefined outside transactions. */
  readonly messages: TransactionMessages | undefined;
  readonly choiceOf: ChoiceOf;
  /** undefined outside transactions. */
  readonly transaction: { readonly index: number; readonly hash: string } | undefined;
  /** Index of the transaction, or which end of the block. */
  readonly place: string;
  /** The event under way: its index in the transaction or block. */
  index: number;
}

/** Names the event under way, the same each time the block is folded. */
export const eventId = ({ context, place, index }: Walk) => `${context.height}/${place}/${index}`;

/** Place of the event under way, for what is told of it. */
export const placeOf = ({ index: event, transaction }: Walk) => ({ event, transaction });

export type EventRule = (event: ChainEventRecord, walk: Walk) => void;

/** The first attribute of that key, or undefined. */
export function attributeOrNone({ attributes }: ChainEventRecord, key: string): string | undefined {
  for (const attribute of attributes) if (attribute.key === key) return attribute.value;
  return undefined;
}

/** @throws Mismatch when the event does not have it */
export function attribute(event: ChainEventRecord, key: string): string {
  const value = attributeOrNone(event, key);
  if (value !== undefined) return value;
  throw new Mismatch({ what: `event ${event.type}`, expected: `an attribute ${key}`, found: 'none' });
}

/**
 * An address in lower case: the chain takes messages that spell addresses in capitals, and staking events repeat their spelling.
 * @throws Mismatch when the event does not have it
 */
export const addressOf = (event: ChainEventRecord, key: string): string => attribute(event, key).toLowerCase();

/** Base units of a single coin, or of a plain number: '15uatom' → 15n, '' → 0n. */
export function unitsOf(text: string): bigint {
  const digits = /^\d*/.exec(text)![0];
  return BigInt(digits);
}

/** The withdrawals collected so far are claims of their own, but for the last `kept`, which the coming rule accounts for. */
export function claimEarlier({ context }: Walk, kept: number): void {
  const { state, withdrawals } = context;
  while (withdrawals.length > kept) {
    const { validator, delegator } = withdrawals[0]!;
    claimReward(context, validatorOf(state, validator), delegator);
  }
}

/** The rule that was last run must have accounted for every withdrawal. */
export function expectNoWithdrawals({ context: { withdrawals } }: Walk): void {
  const [left] = withdrawals;
  if (left) {
    const { validator, delegator: wallet, amount } = left;
    expectEqual(`${amount || 'nothing'} paid`, 'no payment', { what: 'withdrawn reward', validator, wallet });
  }
}
