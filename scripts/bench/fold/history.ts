/** The benchmark of a wallet's holdings on every day of a year, as /balances?history=true has them, beside parsing its validators' rows. */
import { holdingsAtCloses } from '../../../pipeline/holdings/day-holdings.js';
import { formatDecimal18, ONE } from '../../../pipeline/holdings/values/decimal18.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../../pipeline/holdings/wallet-holdings.js';
import { serializeValidator } from '../../../pipeline/wallet-index/holdings-format.js';
import { median } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { BLOCKS_A_DAY } from './generated-size.js';

const DAYS = 365;
const DELEGATIONS = 30;
/** Days from one claim to the next. */
const CLAIMED_EVERY_DAYS = 30;
const DENOM = 'uatom';

const operatorOf = (number: number) => `cosmosvaloper1${number}`;
/** A validator's ratios after some days, of three denoms, two of which pay no more. */
const ratioAfter = (days: number) =>
  `0.000123456789012345ibc/27,0.000000000000004321ibc/AB,${formatDecimal18(BigInt(days + 1) * 411_522_633_744_855n)}${DENOM}`;

const closes: readonly ClosedDay[] = Array.from({ length: DAYS }, (_, i) => ({
  day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
  close_height: (i + 1) * BLOCKS_A_DAY,
}));

function validatorHistory(number: number): ValidatorHistory {
  const validator = operatorOf(number);
  const [tokens, shares] = [9_999_000_000_000n - BigInt(number), 10_000_000_000_000n * ONE];
  const days = closes.map(({ day, close_height }, i) => {
    return { validator, day, close_height, tokens, shares, ratio: ratioAfter(i) };
  });
  return {
    days,
    slashes: [{ validator, height: BLOCKS_A_DAY * 100, period: 5, fraction: ONE / 10_000n, ratio: ratioAfter(99) }],
  };
}

/** Makes a wallet's delegations, each of which was claimed every month. */
function wallet(): WalletHoldings {
  const intervals = Array.from({ length: DELEGATIONS }, (_, number) =>
    Array.from({ length: Math.ceil(DAYS / CLAIMED_EVERY_DAYS) }, (_, month) => ({
      delegator: 'cosmos1',
      validator: operatorOf(number),
      from_height: month * CLAIMED_EVERY_DAYS * BLOCKS_A_DAY + 1,
      to_height: (month + 1) * CLAIMED_EVERY_DAYS < DAYS ? (month + 1) * CLAIMED_EVERY_DAYS * BLOCKS_A_DAY + 1 : null,
      shares: 123_456_789n * ONE,
      stake: 123_444_443n * ONE,
      start_period: 1 + 10 * month,
      start_ratio: ratioAfter(month * CLAIMED_EVERY_DAYS),
    })),
  );
  const liquid = closes.map(({ day }, i) => ({ day, amount: BigInt(1_000_000 + i) }));
  return { liquid, intervals: intervals.flat(), unbonding: [] };
}

/** Measures the milliseconds that one run takes, the median of many after some that warm up. */
function milliseconds(settings: Settings, work: () => unknown): number {
  const times = Array.from({ length: settings.rounds * 10 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return median(times.slice(settings.rounds));
}

/** Measures with generated rows; the validators' are parsed already, as a server keeps them. */
export function measureHistory(settings: Settings): Measure {
  const histories = new Map(Array.from({ length: DELEGATIONS }, (_, i) => [operatorOf(i), validatorHistory(i)]));
  const texts = [...histories.values()].map(serializeValidator);
  const holdings = wallet();
  const source = { denom: DENOM, validator: (operator: string) => histories.get(operator)! };
  const answer = milliseconds(settings, () => {
    for (const _ of holdingsAtCloses(holdings, closes, source));
  });
  return {
    what: `holdings, ${DELEGATIONS} delegations over ${DAYS} days`,
    figure: answer,
    unit: 'ms',
    against: [
      {
        what: "JSON.parse of the validators' rows",
        figure: milliseconds(settings, () => texts.map((text) => JSON.parse(text))),
      },
    ],
  };
}
