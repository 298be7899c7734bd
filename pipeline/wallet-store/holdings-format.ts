/** What a wallet held and how validators stood, as the wallet store keeps it: JSON text of plain arrays, amounts as text. */
import type { DelegationInterval, UnbondingInterval } from '../../schemas/types.generated.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../holdings/wallet-holdings.js';

type PackedInterval = [
  validator: string,
  from: number,
  to: number | null,
  shares: string,
  stake: string,
  startPeriod: number,
  startRatio: string,
];
type PackedUnbonding = [
  validator: string,
  creation: number,
  completion: string,
  from: number,
  to: number | null,
  balance: string,
];
type PackedLiquid = [day: string, amount: string];
type PackedDay = [day: string, closeHeight: number, tokens: string, shares: string, ratio: string];
type PackedSlash = [height: number, period: number, fraction: string, ratio: string];
type PackedHistory = [PackedDay[], PackedSlash[]];

export const packLiquid = (balances: WalletHoldings['liquid']): string =>
  JSON.stringify(balances.map(({ day, amount }): PackedLiquid => [day, String(amount)]));

export const unpackLiquid = (text: string): WalletHoldings['liquid'] =>
  (JSON.parse(text) as PackedLiquid[]).map(([day, amount]) => ({ day, amount: BigInt(amount) }));

export const packIntervals = (intervals: readonly DelegationInterval[]): string =>
  JSON.stringify(
    intervals.map(
      (i): PackedInterval => [
        i.validator,
        i.from_height,
        i.to_height,
        String(i.shares),
        String(i.stake),
        i.start_period,
        i.start_ratio,
      ],
    ),
  );

/** @param delegator the wallet whose text it is */
export const unpackIntervals = (delegator: string, text: string): DelegationInterval[] =>
  (JSON.parse(text) as PackedInterval[]).map(
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
  );

export const packUnbonding = (entries: readonly UnbondingInterval[]): string =>
  JSON.stringify(
    entries.map(
      (u): PackedUnbonding => [
        u.validator,
        u.creation_height,
        u.completion_time,
        u.from_height,
        u.to_height,
        String(u.balance),
      ],
    ),
  );

/** @param delegator the wallet whose text it is */
export const unpackUnbonding = (delegator: string, text: string): UnbondingInterval[] =>
  (JSON.parse(text) as PackedUnbonding[]).map(
    ([validator, creation_height, completion_time, from_height, to_height, balance]) => ({
      delegator,
      validator,
      creation_height,
      completion_time,
      from_height,
      to_height,
      balance: BigInt(balance),
    }),
  );

export function packValidator({ days, slashes }: ValidatorHistory): string {
  return JSON.stringify([
    days.map(({ day, close_height, tokens, shares, ratio }) => [
      day,
      close_height,
      String(tokens),
      String(shares),
      ratio,
    ]),
    slashes.map(({ height, period, fraction, ratio }) => [height, period, String(fraction), ratio]),
  ] satisfies PackedHistory);
}

/** @param validator operator address of the validator whose text it is */
export function unpackValidator(validator: string, text: string): ValidatorHistory {
  const [days, slashes] = JSON.parse(text) as PackedHistory;
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
}

export const packDays = (days: readonly ClosedDay[]): string =>
  JSON.stringify(days.map(({ day, close_height }) => [day, close_height]));

export const unpackDays = (text: string): ClosedDay[] =>
  (JSON.parse(text) as [string, number][]).map(([day, close_height]) => ({ day, close_height }));
