/** Minimal chains that once revealed faults of the fold. */
import type { Action, BlockPlan, Scenario, TransactionPlan } from './scenario.js';

/** A block with rewards, one hour after the previous block. */
export const CALM: BlockPlan = {
  minutes: 60,
  nanoseconds: 1,
  fees: [10n ** 15n, 10n ** 6n],
  downtime: [],
  doubleSigns: [],
  transactions: [],
  passes: false,
};

const QUIET: BlockPlan = { ...CALM, minutes: 1, nanoseconds: 0, fees: [0n, 0n] };

const action = (kind: Action['kind'], amount = 1n, more: Partial<Action> = {}): Action => {
  return { kind, who: 0, validator: 0, choice: 0, amount, other: false, ...more };
};
const inOne = (...actions: Action[]): TransactionPlan => ({ depth: 0, actions });

const BASE = {
  contracts: true,
  maxValidators: 1,
  providerLimit: 0,
  unbondingHours: 24,
  downtime: 10,
  doubleSign: 0,
  cut: { block: 0, from: 'export' },
} as const;

/** Guesses at a slashed validator. */
export const contractCases: readonly { readonly title: string; readonly scenario: Scenario }[] = [
  {
    title: 'a wrong guess that shows only where coins were redelegated to',
    scenario: {
      ...BASE,
      validators: [[369_875_826_367n], [1_000_000_000n]],
      blocks: [
        { ...QUIET, transactions: [inOne(action('delegate', 528_722_545n), action('undelegate'))] },
        { ...QUIET, transactions: [inOne(action('cancel'), action('commission'))] },
        { ...QUIET, fees: [1n, 1n], downtime: [0] },
        { ...QUIET, transactions: [inOne(action('undelegate', 4n), action('redelegate'))] },
        { ...QUIET, fees: [0n, 1n] },
        {
          ...QUIET,
          fees: [1n, 1n],
          downtime: [0],
          transactions: [inOne(action('redelegate', 87_101n, { choice: 1 }), action('deposit'))],
        },
        {
          ...QUIET,
          fees: [1n, 1n],
          transactions: [inOne(action('undelegate', 39_651n, { who: 303 }), action('delegate', 1n, { validator: 3 }))],
        },
      ],
    },
  },
  {
    title: 'a wrong guess that only a later undelegation of nothing would hide',
    scenario: {
      ...BASE,
      doubleSign: 50,
      validators: [[1_000_000_000n, 990_890_881_537n], [1n]],
      blocks: [
        { ...QUIET, transactions: [inOne(action('undelegate'))] },
        { ...QUIET, downtime: [0] },
        { ...QUIET, transactions: [inOne(action('tokenize', 957n, { who: 589 }))] },
        { ...QUIET, transactions: [inOne(action('redeem', 964n))] },
        { ...QUIET, transactions: [inOne(action('undelegate', 92_613n))] },
        { ...QUIET, transactions: [inOne(action('undelegate', 1n, { who: 429 }))] },
        { ...QUIET, transactions: [inOne(action('delegate', 1_000_000_000n))] },
      ],
    },
  },
  {
    title: 'two guesses that a small delegation does not tell from their opposites',
    scenario: {
      ...BASE,
      maxValidators: 2,
      validators: [[5_987_819n, 6_573_387n, 7_935_423n, 484_909_617_342n], [1_000_000n]],
      blocks: [
        QUIET,
        QUIET,
        { ...QUIET, downtime: [0] },
        { ...QUIET, transactions: [inOne(action('undelegate', 65_345_203n, { who: 8 }), action('undelegate', 180n))] },
        { ...QUIET, transactions: [inOne(action('delegate'))] },
      ],
    },
  },
  {
    title: 'a wrong guess that a small delegation does not tell, and a later undelegation does',
    scenario: {
      ...BASE,
      maxValidators: 2,
      validators: [[999_999_965n, 919_262_052_189n, 558_641_441_124n], [1_000_000n]],
      blocks: [
        QUIET,
        QUIET,
        { ...QUIET, downtime: [0] },
        { ...QUIET, transactions: [inOne(action('delegate'), action('undelegate'))] },
        { ...QUIET, transactions: [inOne(action('undelegate', 760_300n))] },
        { ...QUIET, transactions: [inOne(action('delegate'))] },
        { ...QUIET, transactions: [inOne(action('undelegate'))] },
      ],
    },
  },
  {
    title: 'a wrong guess that would redelegate nothing',
    scenario: {
      ...BASE,
      validators: [[1_000_000_000n], [1n], [1n], [6_040_445n, 498_556_120_107n]],
      blocks: [
        {
          ...QUIET,
          fees: [1n, 1n],
          downtime: [0],
          transactions: [
            inOne(action('create', 999_500n, { choice: 706 })),
            inOne(action('propose', 1n, { choice: 1 })),
          ],
        },
        { ...QUIET, fees: [1n, 0n], downtime: [0], passes: true },
        {
          ...QUIET,
          fees: [1n, 1n],
          transactions: [
            inOne(
              action('undelegate', 1_000_051n, { who: 335 }),
              action('delegate', 1n, { who: 15 }),
              action('tokenize'),
            ),
          ],
        },
        {
          ...QUIET,
          fees: [1n, 1n],
          transactions: [
            inOne(action('undelegate', 490_626_554_710n, { who: 550 })),
            inOne(action('redelegate', 1n, { who: 537, choice: 249 })),
          ],
        },
        { ...QUIET, fees: [1n, 1n] },
      ],
    },
  },
];

/** An operator creates a removed validator again: reward periods restart, heights continue. */
export const foundedAgain: Scenario = {
  ...BASE,
  contracts: false,
  doubleSign: 50,
  downtime: 0,
  validators: [[1_000_000_000n], [1_000_000_000n]],
  blocks: [
    { ...QUIET, minutes: 60, transactions: [inOne(action('undelegate'))] },
    {
      ...QUIET,
      minutes: 480,
      fees: [0n, 1n],
      transactions: [{ ...inOne(action('claim', 1n, { who: 692 })), depth: 2 }],
    },
    { ...QUIET, minutes: 480, fees: [0n, 1n] },
    { ...QUIET, minutes: 480, fees: [1n, 0n], doubleSigns: [{ validator: 0, age: 0 }] },
    { ...QUIET, minutes: 60, fees: [1n, 0n], transactions: [inOne(action('undelegate', 1_000_000_000n))] },
    { ...QUIET, minutes: 60, transactions: [inOne(action('create'))] },
    {
      ...QUIET,
      minutes: 60,
      fees: [1n, 0n],
      transactions: [inOne(action('create', 1n, { choice: 290 })), inOne(action('delegate'))],
    },
    {
      ...QUIET,
      minutes: 60,
      fees: [0n, 1n],
      transactions: [
        { ...inOne(action('claim', 1n, { who: 21 }), action('delegate', 1_000_000_000n, { validator: 4 })), depth: 1 },
      ],
    },
  ],
};

/** A wallet delegates to a slashed validator and undelegates everything, many times in one block. */
export const inAndOut: Scenario = {
  ...BASE,
  contracts: false,
  validators: [[10n ** 9n, 333_333_333n], [10n ** 9n]],
  blocks: [
    QUIET,
    { ...QUIET, downtime: [0] },
    {
      ...QUIET,
      transactions: Array.from({ length: 40 }, (_, i) => {
        const amount = 10n ** 6n + BigInt(i * i);
        return inOne(action('delegate', amount), action('undelegate', amount, { who: 3 }));
      }),
    },
  ],
};

/** The same once, and the operator withdraws the rest on the day of the slash: the day's close shows nothing. */
export const outWithTheRest: Scenario = {
  ...BASE,
  contracts: false,
  validators: [[10n ** 9n], [10n ** 9n]],
  blocks: [
    QUIET,
    { ...QUIET, downtime: [0] },
    {
      ...QUIET,
      transactions: [
        inOne(action('delegate', 1_000_051n), action('undelegate', 1_000_051n, { who: 2 })),
        inOne(action('undelegate', 10n ** 9n)),
      ],
    },
  ],
};
