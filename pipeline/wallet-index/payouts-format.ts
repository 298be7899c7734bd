/** The payouts of a validator by day, of the native coin alone: their format in the wallet index, and their sums. */
import type { ValidatorPayout } from '../../schemas/types.generated.js';

/** One UTC day on which a validator paid something. Amounts are base units, USD cents. */
export interface PayoutDay {
  readonly day: string;
  readonly commission: bigint;
  readonly commissionUsd: bigint;
  readonly rewards: bigint;
  readonly rewardsUsd: bigint;
  /** Rewards above zero that delegators withdrew. */
  readonly rewardEvents: number;
  /** Without a published price both USD sums are zero. */
  readonly priced: boolean;
  /** Numbers of the delegators that were paid, ascending: the validator's own count of them, the same on every day. */
  readonly delegators: readonly number[];
}

/** Several days together. */
export interface PayoutSum extends Omit<PayoutDay, 'day' | 'priced' | 'delegators'> {
  readonly uniqueDelegators: number;
  readonly priceMissingDays: number;
  readonly priceMissingEvents: number;
}

/** A day's payouts. Delegators are the differences of their numbers: short, for most of a large validator's come often. */
type PayoutTuple = [
  day: string,
  commission: string,
  commissionUsd: string,
  rewards: string,
  rewardsUsd: string,
  rewardEvents: number,
  priced: 0 | 1,
  delegators: number[],
];

/**
 * Serialises a validator's days.
 * @param rows of one validator, in the order of their table
 * @param numbers the numbers of its delegators, which go on from one text to the next
 */
export function serializePayouts(rows: readonly ValidatorPayout[], numbers: Map<string, number>): string {
  const days = new Map<string, ValidatorPayout[]>();
  for (const row of rows) {
    const ofDay = days.get(row.day);
    if (ofDay) ofDay.push(row);
    else days.set(row.day, [row]);
  }
  return JSON.stringify([...days].map(([day, of]) => serializeDay(day, of, numbers)));
}

function serializeDay(day: string, rows: readonly ValidatorPayout[], numbers: Map<string, number>): PayoutTuple {
  const of = (category: string) => rows.filter((row) => row.category === category);
  const sum = (list: readonly ValidatorPayout[], member: 'amount' | 'usd') =>
    String(list.reduce((total, row) => total + (row[member] ?? 0n), 0n));
  const [commission, rewards] = [of('validator_commission'), of('staking_reward')];
  const delegators = rewards.map(({ address }) => numberOf(address, numbers)).sort((a, b) => a - b);
  return [
    day,
    sum(commission, 'amount'),
    sum(commission, 'usd'),
    sum(rewards, 'amount'),
    sum(rewards, 'usd'),
    rewards.reduce((count, { payouts }) => count + payouts, 0),
    rows.some(({ usd }) => usd === null) ? 0 : 1,
    delegators.map((number, i) => number - (delegators[i - 1] ?? 0)),
  ];
}

function numberOf(address: string, numbers: Map<string, number>): number {
  const known = numbers.get(address);
  if (known !== undefined) return known;
  numbers.set(address, numbers.size);
  return numbers.size - 1;
}

/** Parses a text that serializePayouts made. */
export function parsePayouts(text: string): PayoutDay[] {
  return (JSON.parse(text) as PayoutTuple[]).map((tuple) => {
    let number = 0;
    return {
      day: tuple[0],
      commission: BigInt(tuple[1]),
      commissionUsd: BigInt(tuple[2]),
      rewards: BigInt(tuple[3]),
      rewardsUsd: BigInt(tuple[4]),
      rewardEvents: tuple[5],
      priced: tuple[6] === 1,
      delegators: tuple[7].map((step) => {
        number += step;
        return number;
      }),
    };
  });
}

/** Adds days up; a delegator that was paid on several of them counts once. */
export function sumPayouts(days: readonly PayoutDay[]): PayoutSum {
  const total = (member: 'commission' | 'commissionUsd' | 'rewards' | 'rewardsUsd') =>
    days.reduce((sum, day) => sum + day[member], 0n);
  const events = (list: readonly PayoutDay[]) => list.reduce((sum, { rewardEvents }) => sum + rewardEvents, 0);
  const unpriced = days.filter(({ priced }) => !priced);
  return {
    commission: total('commission'),
    commissionUsd: total('commissionUsd'),
    rewards: total('rewards'),
    rewardsUsd: total('rewardsUsd'),
    rewardEvents: events(days),
    uniqueDelegators: new Set(days.flatMap(({ delegators }) => delegators)).size,
    priceMissingDays: unpriced.length,
    priceMissingEvents: events(unpriced),
  };
}
