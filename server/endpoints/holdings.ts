import { formatCents, formatDecimal, PRICE_DECIMALS, valueInCents } from '../../pipeline/base/values/amount.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { instantText } from '../../pipeline/holdings/values/time.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import {
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
    'down to base units. They are known at the end of each UTC day and after the last block, and are null at other ' +
    'instants if the wallet stakes.',
  parameters: ['address', 'chain', 'at', 'holdings_date', 'format', 'bom'],
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
    const { addresses, format, at } = parameters;
    const moment = momentOf(parameters, dataset);
    const day = at === '' ? dayAt(moment.time) : dayAt(BigInt(at) - 1n);
    const wallets = addresses.map((address) => ({ address, assets: assetsOf(address, moment, day, dataset) }));
    const coverage = dataset.coverageOf(throughDay(day), addresses);
    const atText = at === '' ? null : instantText(BigInt(at));
    if (format === 'csv') {
      const rows = wallets.flatMap(({ address, assets }) =>
        assets.map((asset) => ({ ...asset, address, at: atText, height: moment.height })),
      );
      return csvAnswer(FIELDS, rows, { fileName: fileNameOf('holdings', addresses, [day]), coverage });
    }
    const assets = wallets.flatMap((wallet) => wallet.assets);
    return {
      json: {
        at: atText,
        height: moment.height,
        block_time: instantText(moment.time),
        currency: 'USD',
        rate: null,
        wallets: wallets.map((wallet) => ({ ...wallet, assets: wallet.assets.map(withoutCents) })),
        total_value: formatCents(assets.reduce((sum, { cents }) => sum + cents, 0n)),
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

function assetsOf(address: string, moment: BlockMoment, day: string, dataset: Dataset): Asset[] {
  const { native_denom: native } = dataset.reference.chain;
  const liquid = dataset.liquidAt(address, moment.height);
  const stake = stakeAt(dataset, address, moment);
  const unclaimed = unclaimedAt(dataset, address, moment.height);
  const denoms = new Set([native, ...[...liquid.keys(), ...(unclaimed?.keys() ?? [])].sort()]);
  const reason = unclaimed ? null : reasonOf(dataset, moment);
  return [...denoms]
    .map((denom) => ({
      denom,
      liquid: liquid.get(denom) ?? 0n,
      staked: denom === native ? stake.staked : 0n,
      unbonding: denom === native ? stake.unbonding : 0n,
      unclaimed: unclaimed ? (unclaimed.get(denom) ?? 0n) : null,
      reason,
    }))
    .filter((held) => held.liquid !== 0n || held.staked !== 0n || held.unbonding !== 0n || held.unclaimed)
    .map((held) => assetOf(held, day, dataset));
}

function reasonOf(dataset: Dataset, { height }: BlockMoment) {
  const { before, after } = knownInstants(dataset, height);
  const textOf = (instant: bigint | null) => (instant === null ? null : instantText(instant));
  return { code: 'between_closes', before: textOf(before), after: textOf(after) };
}

/** Amounts in base units. `unclaimed` is null if it is unknown. */
interface Held {
  readonly denom: string;
  readonly liquid: bigint;
  readonly staked: bigint;
  readonly unbonding: bigint;
  readonly unclaimed: bigint | null;
  readonly reason: ReturnType<typeof reasonOf> | null;
}

function assetOf({ denom, liquid, staked, unbonding, unclaimed, reason }: Held, day: string, dataset: Dataset) {
  const { symbol, decimals } = dataset.reference.rules.denomination(denom);
  const price = dataset.prices(denom).get(day);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  const centsOf = (units: bigint | null) =>
    price === undefined || units === null ? null : valueInCents(units, decimals, price);
  const [value, unclaimedValue] = [centsOf(liquid + staked + unbonding), unclaimed === 0n ? 0n : centsOf(unclaimed)];
  return {
    symbol,
    denom,
    liquid: amount(liquid),
    staked: amount(staked),
    unbonding: amount(unbonding),
    unclaimed: unclaimed === null ? null : amount(unclaimed),
    unclaimed_reason: reason,
    price_usd: price === undefined ? null : formatDecimal(price, PRICE_DECIMALS),
    value: value === null ? null : formatCents(value),
    unclaimed_value: unclaimedValue === null ? null : formatCents(unclaimedValue),
    cents: (value ?? 0n) + (unclaimedValue ?? 0n),
  };
}

const withoutCents = ({ cents, ...asset }: Asset) => asset;

type Row = Asset & { readonly address: string; readonly at: string | null; readonly height: number };

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
];
