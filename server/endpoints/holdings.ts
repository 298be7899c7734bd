import { formatDecimal, formatMinor, PRICE_DECIMALS, RATE_DECIMALS } from '../../pipeline/base/values/amount.js';
import type { Currency } from '../../pipeline/books/currencies/currency.js';
import type { RateOfDay } from '../../pipeline/books/currencies/exchange-rates.js';
import { Valuer } from '../../pipeline/books/currencies/valuer.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { USUAL } from '../../pipeline/books/terms.js';
import { instantText } from '../../pipeline/holdings/values/time.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { type BlockMoment, coveredBlockBefore, coveredBlocks, dayAt, knownInstants } from '../tax/dataset/instants.js';
import { reportedInstants, trackedHoldingsAt } from '../tax/dataset/tracked-instants.js';
import { coinsOf, type HeldCoins, type PriceDay, valuesOf, walletAt } from '../tax/dataset/wallet-at.js';
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
    const rates = dataset.exchangeRates();
    const rate = rates.rateOn(day, currency.code);
    const valuation = { day, isLatest: at === '', valuer: new Valuer(currency, rates) };
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
interface Valuation extends PriceDay {
  readonly valuer: Valuer;
}

const rateText = (units: bigint) => formatDecimal(units, RATE_DECIMALS);

const rateMembers = (rate: RateOfDay | null) =>
  rate && { day: rate.day, per_eur: rateText(rate.perEur), usd_per_eur: rateText(rate.usdPerEur) };

const sumOf = (assets: readonly Asset[]) => assets.reduce((sum, { minor }) => sum + minor, 0n);

function assetsOf(address: string, moment: BlockMoment, valuation: Valuation, dataset: Dataset): Asset[] {
  const { native_denom: native } = dataset.reference.chain;
  const wallet = walletAt(dataset, address, moment)!;
  const { staked, unbonding, unclaimed } = wallet;
  const reason = unclaimed ? UNKNOWN_REWARD : reasonAt(address, moment, dataset);
  const isStakeUnknown = staked === null || unbonding === null;
  return coinsOf(wallet, native).map((held) => {
    const stakeReason = held.denom === native && isStakeUnknown ? 'rounding' : undefined;
    return assetOf(held, { reason: held.unclaimed === null ? reason : null, stakeReason }, valuation, dataset);
  });
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

function reasonAt(address: string, { height }: BlockMoment, dataset: Dataset): UnclaimedReason {
  if (!dataset.manifest.own_wallets) return reasonOf('between_closes', knownInstants(dataset, height));
  const isEdge = dataset.edges().some((edge) => edge.height === height);
  return reasonOf(isEdge ? 'too_late' : 'between_edges', reportedInstants(dataset, address, height));
}

function reasonOf(
  code: UnclaimedReason['code'],
  { before, after }: { readonly before: bigint | null; readonly after: bigint | null },
): UnclaimedReason {
  const textOf = (instant: bigint | null) => (instant === null ? null : instantText(instant));
  return { code, before: textOf(before), after: textOf(after) };
}

interface Reasons {
  readonly reason: UnclaimedReason | null;
  /** Set if a stake is unknown. */
  readonly stakeReason: StakeReason | undefined;
}

function assetOf(held: HeldCoins, { reason, stakeReason }: Reasons, valuation: Valuation, dataset: Dataset) {
  const { denom, liquid, staked, unbonding, unclaimed } = held;
  const { valuer } = valuation;
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const { price, value, unclaimedValue } = valuesOf(held, valuation, valuer, dataset);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  const amountOrNull = (units: bigint | null) => (units === null ? null : amount(units));
  const money = (minor: bigint | null) => (minor === null ? null : formatMinor(minor, valuer.currency.minorDigits));
  return {
    symbol,
    denom,
    liquid: amount(liquid),
    staked: amountOrNull(staked),
    unbonding: amountOrNull(unbonding),
    unclaimed: amountOrNull(unclaimed),
    unclaimed_reason: reason,
    ...(stakeReason && { stake_reason: stakeReason }),
    price_usd: price === null ? null : formatDecimal(price, PRICE_DECIMALS),
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
