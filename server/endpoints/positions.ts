import { lastSecond, zoneNamed } from '../../pipeline/base/values/zones.js';
import type { WalletState } from '../../pipeline/books/ledger/replay.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import {
  type OpenHolding,
  openHoldings,
  type Position,
  positionGaps,
  positionsOf,
} from '../../pipeline/books/reports/positions.js';
import { carriesLots, sentences, termsOf } from '../../pipeline/books/terms.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { walletsAt } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { refusal } from '../tax/parameters/faults.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { indexDays, throughDay } from '../tax/parameters/time-range.js';

export const positions = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/positions',
  summary: 'Open lots and unrealized gain per wallet and asset.',
  description:
    'As of the end of a UTC day. Quantities include staked and unbonding coins, ' +
    'because delegating is not a disposal. An earlier day is valued at its own price. Today, which is the default, is ' +
    'valued at the last published price of each coin.',
  parameters: ['address', 'chain', 'timezone', 'date', ...STATEMENTS, 'format', 'bom'],
  post: true,
  response: 'positions',
  csv: true,
  policy: 'tax',
  replayed: true,
  decisions: {
    period: ({ date, timezone }) => throughDay(date, zoneNamed(timezone)),
    saved: false,
    undecided: 'refused',
  },
  admit({ parameters: { date, timezone, source }, dataset }): void {
    const { first } = indexDays(dataset, zoneNamed(timezone));
    if (date >= first) return;
    const message = `is before the index, which covers ${first} to ${dataset.time}`;
    throw refusal(source, [{ name: 'date', path: '', message }]);
  },
  handle({ parameters, dataset }): Answer {
    const { addresses, date, timezone, format } = parameters;
    const range = throughDay(date, zoneNamed(timezone));
    const rows: PricedPosition[] = [];
    const gaps: string[] = [];
    for (const wallet of walletsAt(parameters, dataset, range.to)) {
      const held = openHoldings(wallet);
      rows.push(...pricedPositions(wallet, held, parameters, dataset));
      gaps.push(...positionGaps(wallet, held));
    }
    const coverage = dataset.coverageOf(range, addresses);
    if (format === 'csv') {
      const fileName = fileNameOf('positions', addresses, [date]);
      return csvAnswer(POSITION_FIELDS, rows, { fileName, coverage });
    }
    return {
      json: {
        as_of: date,
        priced_as_of:
          rows
            .map((row) => row.priced_as_of)
            .sort()
            .at(-1) ?? '',
        methodology_version: dataset.manifest.methodology_version,
        note: noteOf(gaps, parameters, dataset),
        coverage,
        count: rows.length,
        positions: rows,
      },
    };
  },
} satisfies Endpoint;

const { text, decimal, number, boolean } = fieldsOf<PricedPosition>();

const POSITION_FIELDS = [
  text('address'),
  text('asset'),
  text('denom'),
  decimal('quantity'),
  decimal('cost_basis_usd'),
  decimal('basis_unknown_quantity'),
  decimal('market_price_usd'),
  decimal('market_value_usd'),
  decimal('unrealized_gain_usd'),
  boolean('price_missing'),
  number('lots'),
  text('oldest_lot'),
  decimal('opening_quantity'),
  text('priced_as_of'),
];

/** A position. `priced_as_of` is the UTC day of its price, or '' if there is no price. */
type PricedPosition = Position & { readonly priced_as_of: string };

function pricedPositions(
  wallet: WalletState,
  held: readonly OpenHolding[],
  parameters: ValidParameters,
  dataset: Dataset,
): PricedPosition[] {
  const priceOf = (denom: string) => priceFor(denom, parameters, dataset);
  const rows = positionsOf(wallet, (denom) => priceOf(denom)?.usd ?? null, held);
  return rows.map((row) => ({ ...row, priced_as_of: priceOf(row.denom)?.day ?? '' }));
}

interface DatedPrice {
  readonly day: string;
  readonly usd: bigint;
}

/**
 * Returns the price on the UTC day in which the requested day ends. For today, returns the latest price, because a day gets its price only after
 * it has ended (decision A6).
 */
function priceFor(denom: string, { date, isPast, timezone }: ValidParameters, dataset: Dataset): DatedPrice | null {
  const prices = dataset.prices(denom);
  const day = isPast ? lastSecond(zoneNamed(timezone), date).slice(0, 10) : prices.lastDayUntil(date);
  const usd = day === undefined ? undefined : prices.get(day);
  return day === undefined || usd === undefined ? null : { day, usd };
}

function noteOf(gaps: readonly string[], parameters: ValidParameters, dataset: Dataset): string {
  const { lots, days, whatIf } = sentences(termsOf(parameters));
  const general =
    `${lots} Coins held before the index begins on ${dataset.indexStart} have no lot: ` +
    `opening_quantity counts them. Coins received without a tag${carriesLots(parameters) ? '' : ', also from an own wallet,'} have an unknown basis: they ` +
    'have a value but no cost, and the unrealized gain leaves them out.';
  return [general, days, whatIf, ...new Set(gaps)].filter((text) => text !== '').join(' ');
}
