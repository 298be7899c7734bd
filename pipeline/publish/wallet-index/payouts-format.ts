import type { ValidatorDay, ValidatorPayout } from '../../../schemas/types.generated.js';

export interface OtherCommission {
  readonly denom: string;
  /** Base units. */
  readonly amount: bigint;
  /** Cents, excluding days without a price. */
  readonly usd: bigint;
  /** Base units that were earned on days without a price. */
  readonly unpriced: bigint;
}

/** A validator's payouts on a UTC day. Amounts are base units of the native coin; members `…Usd` are cents. */
export interface PayoutDay {
  readonly day: string;
  readonly commission: bigint;
  readonly commissionUsd: bigint;
  readonly rewards: bigint;
  readonly rewardsUsd: bigint;
  /** The part of `rewards` that the operator's own delegation earned. */
  readonly selfRewards: bigint;
  readonly selfRewardsUsd: bigint;
  /** Number of reward withdrawals with an amount above zero. */
  readonly rewardEvents: number;
  /** False if the native coin has no price on that day. All USD totals of the day are then zero. */
  readonly priced: boolean;
  /**
   * Numbers of the delegators that received a payout, ascending. A delegator has the same number on all days of a
   * validator.
   */
  readonly delegators: readonly number[];
  readonly otherCommission: readonly OtherCommission[];
}

export interface PayoutSum extends Omit<PayoutDay, 'day' | 'priced' | 'delegators'> {
  readonly uniqueDelegators: number;
  readonly priceMissingDays: number;
  readonly priceMissingEvents: number;
}

/** A stored day. Delegators are stored as differences between consecutive numbers, to shorten the text. */
type PayoutTuple = [
  day: string,
  commission: string,
  commissionUsd: string,
  rewards: string,
  rewardsUsd: string,
  selfRewards: string,
  selfRewardsUsd: string,
  rewardEvents: number,
  priced: 0 | 1,
  delegators: number[],
  otherCommission: OtherTuple[],
];

type OtherTuple = [denom: string, amount: string, usd: string | null];

export interface PayingValidator {
  readonly native: string;
  readonly account: string;
  readonly numbers: Map<string, number>;
}

function serializeDay(day: string, rows: readonly ValidatorPayout[], validator: PayingValidator): PayoutTuple {
  const { native, account, numbers } = validator;
  const sums = (list: readonly ValidatorPayout[]): [amount: string, usd: string] => [
    String(list.reduce((total, { amount }) => total + amount, 0n)),
    String(list.reduce((total, { usd }) => total + (usd ?? 0n), 0n)),
  ];
  const inNative = rows.filter(({ denom }) => denom === native);
  const rewards = inNative.filter(({ category }) => category === 'staking_reward');
  const rewardEvents = rewards.reduce((count, { payouts }) => count + payouts, 0);
  const delegators = rewards.map(({ address }) => numberOf(address, numbers)).sort((a, b) => a - b);
  const others = rows
    .filter(({ denom }) => denom !== native)
    .map(({ denom, amount, usd }): OtherTuple => [denom, String(amount), usd === null ? null : String(usd)]);
  return [
    day,
    ...sums(inNative.filter(({ category }) => category === 'validator_commission')),
    ...sums(rewards),
    ...sums(rewards.filter(({ address }) => address === account)),
    rewardEvents,
    inNative.some(({ usd }) => usd === null) ? 0 : 1,
    delegators.map((number, i) => number - (delegators[i - 1] ?? 0)),
    others,
  ];
}

function numberOf(address: string, numbers: Map<string, number>): number {
  const known = numbers.get(address);
  if (known !== undefined) return known;
  numbers.set(address, numbers.size);
  return numbers.size - 1;
}

export const payoutsFormat = {
  serialize(rows: readonly ValidatorPayout[], validator: PayingValidator): string {
    const days = new Map<string, ValidatorPayout[]>();
    for (const row of rows) {
      const ofDay = days.get(row.day);
      if (ofDay) ofDay.push(row);
      else days.set(row.day, [row]);
    }
    return JSON.stringify([...days].map(([day, of]) => serializeDay(day, of, validator)));
  },
  parse(text: string): PayoutDay[] {
    return (JSON.parse(text) as PayoutTuple[]).map((tuple) => {
      let number = 0;
      return {
        day: tuple[0],
        commission: BigInt(tuple[1]),
        commissionUsd: BigInt(tuple[2]),
        rewards: BigInt(tuple[3]),
        rewardsUsd: BigInt(tuple[4]),
        selfRewards: BigInt(tuple[5]),
        selfRewardsUsd: BigInt(tuple[6]),
        rewardEvents: tuple[7],
        priced: tuple[8] === 1,
        delegators: tuple[9].map((step) => {
          number += step;
          return number;
        }),
        otherCommission: sumByDenom(
          tuple[10].map(([denom, amount, usd]) => {
            const units = BigInt(amount);
            return { denom, amount: units, usd: BigInt(usd ?? 0), unpriced: usd === null ? units : 0n };
          }),
        ),
      };
    });
  },
};

function sumByDenom(list: readonly OtherCommission[]): OtherCommission[] {
  const sums = new Map<string, OtherCommission>();
  for (const { denom, amount, usd, unpriced } of list) {
    const sum = sums.get(denom) ?? { denom, amount: 0n, usd: 0n, unpriced: 0n };
    const added = { amount: sum.amount + amount, usd: sum.usd + usd, unpriced: sum.unpriced + unpriced };
    sums.set(denom, { denom, ...added });
  }
  return [...sums.values()].sort((a, b) => (a.denom < b.denom ? -1 : 1));
}

type Sum = 'commission' | 'commissionUsd' | 'rewards' | 'rewardsUsd' | 'selfRewards' | 'selfRewardsUsd';

/** Sums the payouts of several days. `uniqueDelegators` counts a delegator only once. */
export function sumPayouts(days: readonly PayoutDay[]): PayoutSum {
  const total = (member: Sum) => days.reduce((sum, day) => sum + day[member], 0n);
  const events = (list: readonly PayoutDay[]) => list.reduce((sum, { rewardEvents }) => sum + rewardEvents, 0);
  const unpriced = days.filter(({ priced }) => !priced);
  return {
    commission: total('commission'),
    commissionUsd: total('commissionUsd'),
    rewards: total('rewards'),
    rewardsUsd: total('rewardsUsd'),
    selfRewards: total('selfRewards'),
    selfRewardsUsd: total('selfRewardsUsd'),
    rewardEvents: events(days),
    uniqueDelegators: new Set(days.flatMap(({ delegators }) => delegators)).size,
    priceMissingDays: unpriced.length,
    priceMissingEvents: events(unpriced),
    otherCommission: sumByDenom(days.flatMap(({ otherCommission }) => otherCommission)),
  };
}

/** Commission that had not been withdrawn after a month's last indexed block. */
export interface AccruedCommission {
  readonly day: string;
  readonly coins: ReadonlyMap<string, bigint>;
}

export const accruedFormat = {
  serialize: (rows: readonly Pick<ValidatorDay, 'day' | 'commission'>[]): string =>
    JSON.stringify(rows.map(({ day, commission }) => [day, commission])),
  /** Returns the commission by month (YYYY-MM). */
  parse(text: string): ReadonlyMap<string, AccruedCommission> {
    const rows = JSON.parse(text) as [day: string, commission: string][];
    return new Map(rows.map(([day, commission]) => [day.slice(0, 7), { day, coins: readCoins(commission) }]));
  },
};

/** Parses coins as the SDK writes them: `15uatom,3ibc/…`. */
function readCoins(text: string): ReadonlyMap<string, bigint> {
  const coins = text === '' ? [] : text.split(',');
  return new Map(
    coins.map((coin): [string, bigint] => {
      const [, amount = '', denom = ''] = /^(\d+)(.*)$/s.exec(coin) ?? [];
      return [denom, BigInt(amount)];
    }),
  );
}
