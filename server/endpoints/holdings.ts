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
  type Claims,
  coveredBlockBefore,
  coveredBlocks,
  dayAt,
  knownInstants,
  stakeAt,
  unclaimedAt,
} from '../tax/dataset/instants.js';
import { reportedInstants, type TrackedHoldings, trackedHoldingsAt } from '../tax/dataset/tracked-instants.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { refusal } from '../tax/parameters/faults.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { throughDay } from '../tax/parameters/time-range.js';
import { incompleteWallet, requireInstants } from './require-instants.js';

export const holdings = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/holdings',
  summary: 'What wallets held at an instant: liquid, staked, unbonding and unclaimed coins of every denom.',
  description:
    'After the last block whose time is before the instant; exact to the base unit. ' +
    'Unclaimed rewards are what claims would pay: the reward of each delegation, rounded down to base units. They are ' +
    'known at the end of each UTC day, at the edges of /catalog, after the last block, and where nothing is staked; ' +
    'elsewhere they are null. Values are those of the price on the day of the instant; without an instant, of the last ' +
    'published price of each coin. Values in another currency use the euro reference rates of this day, or of the last ' +
    'day before it that has both rates, at most seven days back; else they are null. Datasets of ' +
    'single wallets have no ends of days, stakes only where rows give them exactly, and the height of a stored block.',
  parameters: ['address', 'chain', 'timezone', 'at', 'holdings_date', 'currency', 'format', 'bom'],
  response: 'holdings',
  csv: true,
  policy: 'tax',
  post: true,
  problems: ['holdings_incomplete'],
  admit({ parameters, dataset }): void {
    requireInstants(dataset);
    const { height } = momentOf(parameters, dataset);
    if (dataset.manifest.own_wallets) requireKnown(parameters.addresses, height, dataset);
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
      return csvAnswer(dataset.manifest.own_wallets ? TRACKED_FIELDS : FIELDS, rows, {
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
  const covered = coveredBlocks(dataset)!;
  const { first, last } = covered;
  if (at === '') return last;
  const moment = coveredBlockBefore(dataset, BigInt(at), covered);
  if (moment) return moment;
  const extent = `after ${instantText(first.time)} and at most ${instantText(last.time)}`;
  const message = `is outside the index, which knows holdings at instants ${extent}`;
  throw refusal(source, [{ name: date === '' ? 'at' : 'holdings_date', path: '', message }]);
}

/** Throws a Problem if neither rows nor a node give the holdings of a wallet. */
function requireKnown(addresses: readonly string[], height: number, dataset: Dataset): void {
  const unknown = addresses.find((address) => !trackedHoldingsAt(dataset, address, height));
  if (unknown !== undefined) throw incompleteWallet(dataset, unknown);
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
  const { liquid, staked, unbonding, unclaimed, reason, stakeReason } = walletAt(dataset, address, moment);
  const denoms = new Set([native, ...[...liquid.keys(), ...(unclaimed?.keys() ?? [])].sort()]);
  const unknown = unclaimed ? UNKNOWN_REWARD : reason;
  return [...denoms]
    .map((denom) => ({
      denom,
      liquid: liquid.get(denom) ?? 0n,
      staked: denom === native ? staked : 0n,
      unbonding: denom === native ? unbonding : 0n,
      unclaimed: amountOf(unclaimed, denom),
      reason: amountOf(unclaimed, denom) === null ? unknown : null,
      stakeReason: denom === native ? stakeReason : undefined,
    }))
    .filter((held) => held.liquid !== 0n || held.staked !== 0n || held.unbonding !== 0n || held.unclaimed !== 0n)
    .map((held) => assetOf(held, valuation, dataset));
}

/** Why rewards are unknown, with the nearest instants at which they are known. */
interface UnclaimedReason {
  readonly code: 'between_closes' | 'between_edges' | 'too_late' | 'too_large';
  readonly before: string | null;
  readonly after: string | null;
}

type StakeReason = 'rounding';

/** Reason of a reward that no instant has. */
const UNKNOWN_REWARD: UnclaimedReason = { code: 'too_large', before: null, after: null };

/** A wallet's holdings after a block, in base units. */
interface WalletAt extends Omit<TrackedHoldings, 'unclaimed'> {
  readonly unclaimed: Claims | undefined;
  /** Why `unclaimed` is undefined. */
  readonly reason: UnclaimedReason | null;
  /** Set if a stake is unknown. */
  readonly stakeReason: StakeReason | undefined;
}

function walletAt(dataset: Dataset, address: string, moment: BlockMoment): WalletAt {
  if (dataset.manifest.own_wallets) return trackedWalletAt(dataset, address, moment);
  const unclaimed = unclaimedAt(dataset, address, moment.height);
  const reason = unclaimed ? null : reasonOf('between_closes', knownInstants(dataset, moment.height));
  const liquid = dataset.liquidAt(address, moment.height);
  return { liquid, ...stakeAt(dataset, address, moment), unclaimed, reason, stakeReason: undefined };
}

function trackedWalletAt(dataset: Dataset, address: string, { height }: BlockMoment): WalletAt {
  const held = trackedHoldingsAt(dataset, address, height)!;
  const known = reportedInstants(dataset, address, height);
  const isEdge = dataset.edges().some((edge) => edge.height === height);
  const reason = held.unclaimed ? null : reasonOf(isEdge ? 'too_late' : 'between_edges', known);
  const isUnknown = held.staked === null || held.unbonding === null;
  return { ...held, reason, stakeReason: isUnknown ? 'rounding' : undefined };
}

function reasonOf(
  code: UnclaimedReason['code'],
  { before, after }: { readonly before: bigint | null; readonly after: bigint | null },
): UnclaimedReason {
  const textOf = (instant: bigint | null) => (instant === null ? null : instantText(instant));
  return { code, before: textOf(before), after: textOf(after) };
}

/** Amounts in base units. An unknown amount is null. */
interface Held {
  readonly denom: string;
  readonly liquid: bigint;
  readonly staked: bigint | null;
  readonly unbonding: bigint | null;
  readonly unclaimed: bigint | null;
  readonly reason: UnclaimedReason | null;
  readonly stakeReason: StakeReason | undefined;
}

function assetOf(held: Held, { day, isLatest, currency, rate }: Valuation, dataset: Dataset) {
  const { denom, liquid, staked, unbonding, unclaimed, reason, stakeReason } = held;
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const prices = dataset.prices(denom);
  const price = prices.get(isLatest ? (prices.lastDayUntil(day) ?? day) : day);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  const amountOrNull = (units: bigint | null) => (units === null ? null : amount(units));
  const minorOf = (units: bigint | null) =>
    units === null ? null : valueIn(currency, units, decimals, price ?? null, rate);
  const total = staked === null || unbonding === null ? null : liquid + staked + unbonding;
  const [value, unclaimedValue] = [minorOf(total), unclaimed === 0n ? 0n : minorOf(unclaimed)];
  const money = (minor: bigint | null) => (minor === null ? null : formatMinor(minor, currency.minorDigits));
  return {
    symbol,
    denom,
    liquid: amount(liquid),
    staked: amountOrNull(staked),
    unbonding: amountOrNull(unbonding),
    unclaimed: amountOrNull(unclaimed),
    unclaimed_reason: reason,
    ...(stakeReason && { stake_reason: stakeReason }),
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
  decimal('staked', ({ staked }) => staked ?? ''),
  decimal('unbonding', ({ unbonding }) => unbonding ?? ''),
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

/** Columns in datasets of single wallets, where a stake may be unknown. */
const TRACKED_FIELDS = [...FIELDS, word('stake_reason', ({ stake_reason }) => stake_reason ?? '')];
