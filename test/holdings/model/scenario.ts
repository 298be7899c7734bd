/** Random chains as data: requested actions by block. Numbers select among the candidates at that time. */
import fc from 'fast-check';
import type { Kind } from './messages.js';

export interface Action {
  readonly kind: Kind;
  /** Select accounts, delegations, validators and other candidates. */
  readonly who: number;
  readonly validator: number;
  readonly choice: number;
  readonly amount: bigint;
  /** Rewards of another denom. */
  readonly other: boolean;
}

export interface TransactionPlan {
  /** Number of MsgExec around the messages. */
  readonly depth: number;
  readonly actions: readonly Action[];
}

export interface BlockPlan {
  /** Since the previous block. */
  readonly minutes: number;
  readonly nanoseconds: number;
  /** Allocated at the block's beginning: base units of two denoms. */
  readonly fees: readonly [bigint, bigint];
  readonly downtime: readonly number[];
  readonly doubleSigns: readonly { readonly validator: number; readonly age: number }[];
  readonly transactions: readonly TransactionPlan[];
  /** True if the oldest proposal passes. */
  readonly passes: boolean;
}

export interface Scenario {
  /** Base units delegated to each genesis validator, the operator's first. */
  readonly validators: readonly (readonly bigint[])[];
  readonly maxValidators: number;
  /** max_provider_consensus_validators; 0 without a provider. */
  readonly providerLimit: number;
  readonly unbondingHours: number;
  /** Permille. */
  readonly downtime: number;
  readonly doubleSign: number;
  /** True if contracts make some undelegations, without a message. */
  readonly contracts: boolean;
  readonly blocks: readonly BlockPlan[];
  /** Block after which the fold restarts from an export or its checkpoint. */
  readonly cut: { readonly block: number; readonly from: 'export' | 'checkpoint' };
}

const upTo = (max: bigint, min = 1n) => fc.bigInt({ min, max });
/** Frequent, so that validators have equal power. */
const ROUND = fc.constant(10n ** 9n);
const amounts = fc.oneof(ROUND, upTo(9n), upTo(10n ** 6n), upTo(10n ** 9n), upTo(10n ** 13n));
const stakes = fc.oneof(ROUND, upTo(10n ** 7n), upTo(10n ** 12n, 10n ** 9n));

const KINDS: Readonly<Record<Kind, number>> = {
  delegate: 4,
  undelegate: 6,
  redelegate: 6,
  cancel: 3,
  claim: 4,
  commission: 1,
  withdrawAddress: 1,
  deposit: 2,
  fund: 1,
  create: 2,
  edit: 1,
  unjail: 3,
  tokenize: 2,
  redeem: 2,
  claimRecord: 2,
  propose: 1,
  proposeUpgrade: 1,
  proposeProviderLimit: 1,
  consumerDowntime: 1,
  consumerDoubleVoting: 1,
};

const kinds = fc.oneof(
  ...Object.entries(KINDS).map(([kind, weight]) => ({ arbitrary: fc.constant(kind as Kind), weight })),
);

const actions: fc.Arbitrary<Action> = fc.record({
  kind: kinds,
  who: fc.nat(1000),
  validator: fc.nat(5),
  choice: fc.nat(1000),
  amount: amounts,
  other: fc.boolean(),
});

const transactions: fc.Arbitrary<TransactionPlan> = fc.record({
  depth: fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, fc.constant(1), fc.constant(2)),
  actions: fc.array(actions, { minLength: 1, maxLength: 4 }),
});

const seldom = <Value>(value: fc.Arbitrary<Value>, weight: number) =>
  fc.oneof({ arbitrary: fc.constant([]), weight }, fc.array(value, { minLength: 1, maxLength: 2 }));

type Pace = Pick<BlockPlan, 'minutes' | 'nanoseconds'>;
const anyTime: fc.Arbitrary<Pace> = fc.record({
  minutes: fc.integer({ min: 1, max: 600 }),
  nanoseconds: fc.oneof(fc.constant(0), fc.nat(999_999_999)),
});
/** Unbonding takes whole hours, so that entries mature exactly at a block's time. */
const onTheHour: fc.Arbitrary<Pace> = fc.record({
  minutes: fc.constantFrom(60, 240, 480),
  nanoseconds: fc.constant(0),
});

const contents: fc.Arbitrary<Omit<BlockPlan, keyof Pace>> = fc.record({
  fees: fc.tuple(fc.oneof(fc.constant(0n), upTo(10n ** 10n)), fc.oneof(fc.constant(0n), upTo(10n ** 7n))),
  downtime: seldom(fc.nat(5), 6),
  doubleSigns: seldom(fc.record({ validator: fc.nat(5), age: fc.nat(8) }), 9),
  transactions: fc.array(transactions, { maxLength: 3 }),
  passes: fc.boolean(),
});

const blocksAt = (pace: fc.Arbitrary<Pace>, maxLength: number): fc.Arbitrary<BlockPlan[]> => {
  const block = fc.tuple(pace, contents).map(([time, content]) => ({ ...time, ...content }));
  return fc.array(block, { minLength: 1, maxLength, size: 'max' });
};

/** @param size maximum number of blocks */
export const scenarios = (size: number, contracts: boolean): fc.Arbitrary<Scenario> =>
  fc.record({
    contracts: fc.constant(contracts),
    validators: fc.array(fc.array(stakes, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
    maxValidators: fc.integer({ min: 1, max: 4 }),
    providerLimit: fc.integer({ min: 0, max: 4 }),
    unbondingHours: fc.integer({ min: 24, max: 72 }),
    downtime: fc.oneof(fc.constant(10), fc.nat(1000)),
    doubleSign: fc.oneof(fc.constant(50), fc.nat(1000)),
    blocks: fc.oneof(blocksAt(anyTime, size), blocksAt(onTheHour, size)),
    cut: fc.record({ block: fc.nat(size), from: fc.constantFrom('export' as const, 'checkpoint' as const) }),
  });
