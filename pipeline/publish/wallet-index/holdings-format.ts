import type {
  DailyHolding,
  DelegationInterval,
  RewardMonth,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
  WalletCoin,
  WalletStake,
} from '../../../schemas/types.generated.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../holdings/day-holdings.js';

type IntervalTuple = [
  validator: string,
  from: number,
  to: number | null,
  shares: string,
  stake: string,
  startPeriod: number,
  startRatio: string,
];
type UnbondingTuple = [
  validator: string,
  creation: number,
  completion: string,
  from: number,
  to: number | null,
  balance: string,
];
type LiquidTuple = [day: string, amount: string];
type DayTuple = [day: string, closeHeight: number, tokens: string, shares: string, ratio: string];
type SlashTuple = [height: number, period: number, fraction: string, ratio: string];
type HistoryTuple = [DayTuple[], SlashTuple[]];

/** pipeline/tables/balance_lines.sql writes the text. */
export const liquidFormat = {
  parse: (text: string): WalletHoldings['liquid'] =>
    (JSON.parse(text) as LiquidTuple[]).map(([day, amount]) => ({ day, amount: BigInt(amount) })),
};

/** A wallet's holdings, from this day until the next change. Amounts are base units of the native coin. */
export type TrackedDay = Pick<DailyHolding, 'day' | 'liquid' | 'staked' | 'unbonding'>;

export const trackedDaysFormat = {
  serialize: (days: readonly TrackedDay[]): string =>
    JSON.stringify(days.map(({ day, liquid, staked, unbonding }) => [day, `${liquid}`, `${staked}`, `${unbonding}`])),
  parse: (text: string): TrackedDay[] =>
    (JSON.parse(text) as [string, string, string, string][]).map(([day, liquid, staked, unbonding]) => ({
      day,
      liquid: BigInt(liquid),
      staked: BigInt(staked),
      unbonding: BigInt(unbonding),
    })),
};

/** pipeline/tables/interval_lines.sql writes the text. */
export const intervalsFormat = {
  parse: (delegator: string, text: string): DelegationInterval[] =>
    (JSON.parse(text) as IntervalTuple[]).map(
      ([validator, from_height, to_height, shares, stake, start_period, start_ratio]) => ({
        delegator,
        validator,
        from_height,
        to_height,
        shares: BigInt(shares),
        stake: BigInt(stake),
        start_period,
        start_ratio,
      }),
    ),
};

/** pipeline/tables/unbonding_lines.sql writes the text. */
export const unbondingFormat = {
  parse: (delegator: string, text: string): UnbondingInterval[] =>
    (JSON.parse(text) as UnbondingTuple[]).map(
      ([validator, creation_height, completion_time, from_height, to_height, balance]) => ({
        delegator,
        validator,
        creation_height,
        completion_time,
        from_height,
        to_height,
        balance: BigInt(balance),
      }),
    ),
};

export const validatorFormat = {
  serialize({ days, slashes }: ValidatorHistory): string {
    return JSON.stringify([
      days.map(({ day, close_height, tokens, shares, ratio }) => [
        day,
        close_height,
        String(tokens),
        String(shares),
        ratio,
      ]),
      slashes.map(({ height, period, fraction, ratio }) => [height, period, String(fraction), ratio]),
    ] satisfies HistoryTuple);
  },
  parse(validator: string, text: string): ValidatorHistory {
    const [days, slashes] = JSON.parse(text) as HistoryTuple;
    return {
      days: days.map(([day, close_height, tokens, shares, ratio]) => ({
        validator,
        day,
        close_height,
        tokens: BigInt(tokens),
        shares: BigInt(shares),
        ratio,
      })),
      slashes: slashes.map(([height, period, fraction, ratio]) => ({
        validator,
        height,
        period,
        fraction: BigInt(fraction),
        ratio,
      })),
    };
  },
};

export const daysFormat = {
  serialize: (days: readonly ClosedDay[]): string =>
    JSON.stringify(days.map(({ day, close_height }) => [day, close_height])),
  parse: (text: string): ClosedDay[] =>
    (JSON.parse(text) as [string, number][]).map(([day, close_height]) => ({ day, close_height })),
};

/** A change of a wallet's liquid coins in a block. The amount has a sign. */
type Move = readonly [height: number, denom: string, amount: string];

export interface Moves {
  /** Changes of the layer in earlier segments, in base units by denom. */
  readonly before: ReadonlyMap<string, bigint>;
  readonly moves: readonly Move[];
}

export const movesFormat = {
  /** @param rows as pipeline/tables/move_lines.sql writes them */
  serialize: (before: ReadonlyMap<string, bigint>, rows: readonly string[]): string =>
    `[${JSON.stringify([...before].map(([denom, amount]) => [denom, String(amount)]))},[${rows.join(',')}]]`,
  parse(text: string): Moves {
    const [before, moves] = JSON.parse(text) as [[string, string][], Move[]];
    return { before: new Map(before.map(([denom, amount]) => [denom, BigInt(amount)])), moves };
  },
};

/** A validator's tokens and shares after a block. */
type RateRow = Pick<ValidatorDay, 'close_height' | 'tokens' | 'shares'>;

export const ratesFormat = {
  serialize: (rates: readonly RateRow[]): string =>
    JSON.stringify(rates.map(({ close_height, tokens, shares }) => [close_height, String(tokens), String(shares)])),
  parse: (text: string): RateRow[] =>
    (JSON.parse(text) as [number, string, string][]).map(([close_height, tokens, shares]) => ({
      close_height,
      tokens: BigInt(tokens),
      shares: BigInt(shares),
    })),
};

type ValuationRow = Pick<ValidatorDay, 'tokens' | 'shares' | 'ratio'>;

export const valuationFormat = {
  serialize: ({ tokens, shares, ratio }: ValuationRow): string =>
    JSON.stringify([String(tokens), String(shares), ratio]),
  parse(text: string): ValuationRow {
    const [tokens, shares, ratio] = JSON.parse(text) as [string, string, string];
    return { tokens: BigInt(tokens), shares: BigInt(shares), ratio };
  },
};

export const slashesFormat = {
  serialize: (slashes: readonly ValidatorSlash[]): string =>
    JSON.stringify(slashes.map(({ height, period, fraction, ratio }) => [height, period, String(fraction), ratio])),
  parse: (validator: string, text: string): ValidatorSlash[] =>
    (JSON.parse(text) as SlashTuple[]).map(([height, period, fraction, ratio]) => ({
      validator,
      height,
      period,
      fraction: BigInt(fraction),
      ratio,
    })),
};

const numberText = (units: bigint | null) => (units === null ? null : String(units));
const numberOf = (text: string | null) => (text === null ? null : BigInt(text));

type RewardMonthTuple = [
  month: string,
  denom: string,
  earned: string | null,
  paid: string | null,
  unclaimed: string | null,
];

/** pipeline/tables/reward_month_lines.sql writes the text. */
export const rewardMonthsFormat = {
  parse: (address: string, text: string): RewardMonth[] =>
    (JSON.parse(text) as RewardMonthTuple[]).map(([month, denom, earned, paid, unclaimed]) => ({
      address,
      month,
      denom,
      earned: numberOf(earned),
      paid: numberOf(paid),
      unclaimed: numberOf(unclaimed),
    })),
};

/** Block times of a day, in nanoseconds since the day began. */
export interface BlockTimes {
  readonly nanos: readonly number[];
  /** Returns the height of the block at this index. */
  readonly heightOf: (index: number) => number;
}

export const blockTimesFormat = {
  /** Instead of all heights, the text has the first one if no height is missing. */
  parse(text: string): BlockTimes {
    const [heights, nanos] = JSON.parse(text) as [number | number[], number[]];
    return { nanos, heightOf: (index) => (typeof heights === 'number' ? heights + index : heights[index]!) };
  },
};

type CoinTuple = [
  height: number,
  denom: string,
  liquid: string,
  staked: string,
  unbonding: string,
  unclaimed: string | null,
  confirmed: 0 | 1,
];

/** Coins that nodes reported of a wallet after a block. */
export type StateCoin = Omit<WalletCoin, 'address'>;

export const statesFormat = {
  serialize: (rows: readonly WalletCoin[]): string =>
    JSON.stringify(
      rows.map(
        ({ height, denom, liquid, staked, unbonding, unclaimed, confirmed }): CoinTuple => [
          height,
          denom,
          String(liquid),
          String(staked),
          String(unbonding),
          numberText(unclaimed),
          confirmed ? 1 : 0,
        ],
      ),
    ),
  parse: (text: string): StateCoin[] =>
    (JSON.parse(text) as CoinTuple[]).map(([height, denom, liquid, staked, unbonding, unclaimed, confirmed]) => ({
      height,
      denom,
      liquid: BigInt(liquid),
      staked: BigInt(staked),
      unbonding: BigInt(unbonding),
      unclaimed: numberOf(unclaimed),
      confirmed: confirmed === 1,
    })),
};

/** A wallet's stake after a block, until the next row. Amounts are null if they are known only up to rounding. */
export type StakeRow = Omit<WalletStake, 'address'>;

export const stakesFormat = {
  serialize: (rows: readonly StakeRow[]): string =>
    JSON.stringify(rows.map(({ height, staked, unbonding }) => [height, numberText(staked), numberText(unbonding)])),
  parse: (text: string): StakeRow[] =>
    (JSON.parse(text) as [number, string | null, string | null][]).map(([height, staked, unbonding]) => ({
      height,
      staked: numberOf(staked),
      unbonding: numberOf(unbonding),
    })),
};
