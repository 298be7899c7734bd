import { formatDecimal, formatMinor, PRICE_DECIMALS, RATE_DECIMALS } from '../../pipeline/base/values/amount.js';
import type { Currency } from '../../pipeline/books/currencies/currency.js';
import { type RateOfDay, valueIn } from '../../pipeline/books/currencies/exchange-rates.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { USUAL } from '../../pipeline/books/terms.js';
import { instantText } from '../../pipeline/holdings/values/time.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import {
  amountOf,
  type BlockMoment,
  blockBefore,
  coveredBlocks,
  dayAt,
  knownInstants,
  stakeAt,
  unclaimedAt,
} from '../tax/dataset/instants.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { refusal } from '../tax/parameters/faults.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { throughDay } from '../tax/parameters/time-range.js';
import { requireInstants } from './require-instants.js';

export const holdings = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/holdings',
  summary: 'What wallets held at an instant: liquid, staked, unbonding and unclaimed coins of every denom.',
  description:
    'After the last block whose time is before the instant. Liquid, staked and unbonding coins are exact to the base unit ' +
    'at every instant of the index. Unclaimed rewards are what claims would pay: the reward of each delegation, rounded ' +
    'down to base units. They are known at the end of each UTC day, at the edges of /catalog and after the last ' +
    'block, and are null at other instants if the wallet stakes. Rewards of a denom are also null if an amount is too large. Values are those of the ' +
    'price on the day of the instant; without an instant, of the last published price of each coin. Values in another ' +
    'currency are computed by the euro reference rates of this day, or of the last day before it that has both rates, ' +
    'at most seven days back; else they are null.',
  parameters: ['address', 'chain', 'timezone', 'at', 'holdings_date', 'currency', 'format', 'bom'],
  response: 'holdings',
  csv: true,
  policy: 'tax',
  post: true,
  problems: ['holdings_incomplete'],
  admit({ parameters, dataset }): void {
    requireInstants(dataset);
    momentOf(parameters, dataset);
  },
  handle({ parameters, dataset }): Answer {
    const { addresses, format, at, currency } = parameters;
    const moment = momentOf(parameters, dataset);
    const day = at === '' ? dayAt(moment.time) : dayAt(BigInt(at) - 1n);
    const rate = dataset.exchangeRates().rateOn(day, currency.code);
    const valuation = { day, isLatest: at === '', currency, rate };
    const wallets = addresses.map((address) => ({ address, assets: assetsOf(address, moment, valuation, dataset) }));
    const shownRate = currency === USUAL.currency ? null : rateMembers(rate);
    const coverage = dataset.coverageOf(throughDay(day), addresses);
    const atText = at === '' ? null : instantText(BigInt(at));
    if (format === 'csv') {
      const rows = wallets.flatMap(({ address, assets }) =>
        assets.map((asset) => ({ ...asset, address, at: atText, height: moment.height, currency, rate: shownRate })),
      );
      return csvAnswer(FIELDS, rows, {
        fileName: fileNameOf('holdings', addresses, [parameters.date || day]),
        coverage,
      });
    }
    const assets = wallets.flatMap((wallet) => wallet.assets);
    return {
      json: {
        at: atText,
        height: moment.height,
        block_time: instantText(moment.time),
        currency: currency.code,
        rate: shownRate,
        wallets: wallets.map((wallet) => ({ ...wallet, assets: wallet.assets.map(withoutMinor) })),
        total_value: formatMinor(sumOf(assets), currency.minorDigits),
        value_missing: assets.filter(({ value, unclaimed_value }) => value === null || unclaimed_value === null).length,
        coverage,
      },
    };
  },
} satisfies Endpoint;

/** @throws Problem if the instant is outside the blocks with known holdings */
function momentOf({ at, date, source }: ValidParameters, dataset: Dataset): BlockMoment {
  const { first, last } = coveredBlocks(dataset)!;
  if (at === '') return last;
  const moment = BigInt(at) > last.time ? undefined : blockBefore(dataset, BigInt(at));
  if (moment && moment.height >= first.height) return moment;
  const covered = `after ${instantText(first.time)} and at most ${instantText(last.time)}`;
  const message = `is outside the index, which knows holdings at instants ${covered}`;
  throw refusal(source, [{ name: date === '' ? 'at' : 'holdings_date', path: '', message }]);
}

type Asset = ReturnType<typeof assetOf>;

/** How the coins of a request are valued. */
interface Valuation {
  /** UTC day of the price. */
  readonly day: string;
  /** Set if the last published price on or before the day is used, because a day gets its price only after it has ended. */
  readonly isLatest: boolean;
  readonly currency: Currency;
  readonly rate: RateOfDay | null;
}

const rateText = (units: bigint) => formatDecimal(units, RATE_DECIMALS);

const rateMembers = (rate: RateOfDay | null) =>
  rate && { day: rate.day, per_eur: rateText(rate.perEur), usd_per_eur: rateText(rate.usdPerEur) };

const sumOf = (assets: readonly Asset[]) => assets.reduce((sum, { minor }) => sum + minor, 0n);

function assetsOf(address: string, moment: BlockMoment, valuation: Valuation, dataset: Dataset): Asset[] {
  const { native_denom: native } = dataset.reference.chain;
  const liquid = dataset.liquidAt(address, moment.height);
  const stake = stakeAt(dataset, address, moment);
  const unclaimed = unclaimedAt(dataset, address, moment.height);
  const denoms = new Set([native, ...[...liquid.keys(), ...(unclaimed?.keys() ?? [])].sort()]);
  const unknown = unclaimed ? UNKNOWN_REWARD : reasonOf(dataset, moment);
  return [...denoms]
    .map((denom) => ({
      denom,
      liquid: liquid.get(denom) ?? 0n,
      staked: denom === native ? stake.staked : 0n,
      unbonding: denom === native ? stake.unbonding : 0n,
      unclaimed: amountOf(unclaimed, denom),
      reason: amountOf(unclaimed, denom) === null ? unknown : null,
    }))
    .filter((held) => held.liquid !== 0n || held.staked !== 0n || held.unbonding !== 0n || held.unclaimed !== 0n)
    .map((held) => assetOf(held, valuation, dataset));
}

/** Reason of a reward that no instant has. */
const UNKNOWN_REWARD = { code: 'too_large', before: null, after: null } as const;

function reasonOf(dataset: Dataset, { height }: BlockMoment) {
  const { before, after } = knownInstants(dataset, height);
  const textOf = (instant: bigint | null) => (instant === null ? null : instantText(instant));
  return { code: 'between_closes', before: textOf(before), after: textOf(after) } as const;
}

/** Amounts in base units. `unclaimed` is null if it is unknown. */
interface Held {
  readonly denom: string;
  readonly liquid: bigint;
  readonly staked: bigint;
  readonly unbonding: bigint;
  readonly unclaimed: bigint | null;
  readonly reason: ReturnType<typeof reasonOf> | typeof UNKNOWN_REWARD | null;
}

function assetOf(held: Held, { day, isLatest, currency, rate }: Valuation, dataset: Dataset) {
  const { denom, liquid, staked, unbonding, unclaimed, reason } = held;
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const prices = dataset.prices(denom);
  const price = prices.get(isLatest ? (prices.lastDayUntil(day) ?? day) : day);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  const minorOf = (units: bigint | null) =>
    units === null ? null : valueIn(currency, units, decimals, price ?? null, rate);
  const [value, unclaimedValue] = [minorOf(liquid + staked + unbonding), unclaimed === 0n ? 0n : minorOf(unclaimed)];
  const money = (minor: bigint | null) => (minor === null ? null : formatMinor(minor, currency.minorDigits));
  return {
    symbol,
    denom,
    liquid: amount(liquid),
    staked: amount(staked),
    unbonding: amount(unbonding),
    unclaimed: unclaimed === null ? null : amount(unclaimed),
    unclaimed_reason: reason,
    price_usd: price === undefined ? null : formatDecimal(price, PRICE_DECIMALS),
    value: money(value),
    unclaimed_value: money(unclaimedValue),
    minor: (value ?? 0n) + (unclaimedValue ?? 0n),
  };
}

const withoutMinor = ({ minor, ...asset }: Asset) => asset;

interface Row extends Asset {
  readonly address: string;
  readonly at: string | null;
  readonly height: number;
  readonly currency: Currency;
  readonly rate: ReturnType<typeof rateMembers>;
}

const { text, word, number, decimal } = fieldsOf<Row>();

/** Columns of the CSV. The cell of an unknown amount is empty. */
const FIELDS = [
  word('address'),
  text('symbol'),
  text('denom'),
  decimal('liquid'),
  decimal('staked'),
  decimal('unbonding'),
  decimal('unclaimed', ({ unclaimed }) => unclaimed ?? ''),
  word('unclaimed_reason', ({ unclaimed_reason }) => unclaimed_reason?.code ?? ''),
  decimal('price_usd', ({ price_usd }) => price_usd ?? ''),
  decimal('value', ({ value }) => value ?? ''),
  decimal('unclaimed_value', ({ unclaimed_value }) => unclaimed_value ?? ''),
  word('at', ({ at }) => at ?? ''),
  number('height'),
  word('currency', ({ currency }) => currency.code),
  word('rate_day', ({ rate }) => rate?.day ?? ''),
  decimal('per_eur', ({ rate }) => rate?.per_eur ?? ''),
  decimal('usd_per_eur', ({ rate }) => rate?.usd_per_eur ?? ''),
];
