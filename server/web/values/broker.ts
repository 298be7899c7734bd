/** Answers a broker's table of sales with the lots that the user had sent there. */
import { dsvFormat } from 'd3-dsv';
import {
  type BrokerSale,
  type Misfit,
  matchSales,
  type SoldPart,
} from '../../../pipeline/books/reports/broker-sales.js';
import type { TransferredLot } from '../../../schemas/types.generated.js';
import { isDay } from './dates.js';
import { ambiguityFault, PLACES, textOf, typedDecimal, unitsOf } from './decimal.js';
import type { SaleLine } from './pasted-table.js';

/** Units of 10⁻¹⁸ in a cent. */
const CENT = 10n ** BigInt(PLACES - 2);

/** A part of a sale with the lot that fits, or with the reason why none does. Unknown amounts are ''. */
export interface AnsweredPart {
  readonly asset: string;
  readonly quantity: string;
  readonly sold: string;
  readonly acquired: string;
  readonly sent: string;
  readonly txHash: string;
  readonly proceeds: string;
  readonly cost: string;
  readonly gain: string;
  readonly term: string;
  /** '' if a lot fits. */
  readonly misfit: string;
}

interface Answered {
  readonly parts: readonly AnsweredPart[];
  /** Sentences about lines that cannot be read. */
  readonly faults: readonly string[];
}

const MISFITS: Readonly<Record<Misfit, string>> = {
  other_asset: 'You sent no such coin there',
  came_home: 'These coins came home, by your answers',
  sold_before_sent: 'Sold before you sent them there',
  too_much: 'More than you sent there',
};

export function answeredSales(lots: readonly TransferredLot[], lines: readonly SaleLine[]): Answered {
  const sent = lots.map((lot) => ({
    ...{ lot, asset: lot.symbol, sent: lot.date, acquired: lot.acquired },
    ...{ quantity: unitsOf(lot.quantity), returned: unitsOf(lot.returned), cost: centsOf(lot.cost_basis_usd ?? '') },
  }));
  const symbols = new Set(lots.map(({ symbol }) => symbol));
  const faults: string[] = [];
  const sales = lines.flatMap((line): BrokerSale[] => {
    const fault = faultOf(line);
    if (fault) faults.push(`Line ${line.number}: ${fault}.`);
    const { asset, quantity, day, proceeds } = line;
    const read = { asset: symbolIn(asset, symbols), quantity: unitsOf(typedDecimal(quantity) ?? ''), sold: day };
    return fault ? [] : [{ ...read, proceeds: centsOf(typedDecimal(proceeds) ?? '') }];
  });
  return { parts: matchSales(sent, sales).map(shownPart), faults };
}

function faultOf({ quantity, day, proceeds, isTooLong }: SaleLine): string | undefined {
  if (isTooLong) return 'it has more cells than columns; put an amount such as "1,234.56" in quotes';
  const wrong = (name: string, text: string) =>
    text === '' ? `${name} is missing` : (ambiguityFault(text) ?? `${text} is not ${name}`);
  if (!/[1-9]/.test(typedDecimal(quantity) ?? '')) return wrong('a quantity', quantity);
  if (!isDay(day)) return wrong('a day', day);
  return proceeds !== '' && typedDecimal(proceeds) === undefined ? wrong('an amount', proceeds) : undefined;
}

/** Returns the symbol that a broker's name of an asset contains, such as ATOM in 'Cosmos (ATOM)', or else the name. */
function symbolIn(name: string, symbols: ReadonlySet<string>): string {
  const words = new Set(name.toLowerCase().split(/[\s()[\],;:/-]+/));
  return [...symbols].find((symbol) => words.has(symbol.toLowerCase())) ?? name;
}

/** Rounds half up. '' is unknown. */
const centsOf = (text: string): bigint | null => (text === '' ? null : (unitsOf(text) + CENT / 2n) / CENT);

const dollarsOf = (cents: bigint | null): string => (cents === null ? '' : textOf(cents * CENT, 2));

const TERMS = { SHORT: 'short', LONG: 'long' } as const;

type Sent = Parameters<typeof matchSales>[0][number] & { readonly lot: TransferredLot };

const shownPart = ({ sale, quantity, lot, proceeds, cost, gain, term, misfit }: SoldPart<Sent>): AnsweredPart => ({
  ...{ asset: sale.asset, quantity: textOf(quantity), sold: sale.sold },
  ...{ acquired: lot?.acquired ?? '', sent: lot?.sent ?? '', txHash: lot?.lot.tx_hash ?? '' },
  ...{ proceeds: dollarsOf(proceeds), cost: dollarsOf(cost), gain: dollarsOf(gain) },
  ...{ term: term === null ? '' : TERMS[term], misfit: misfit === null ? '' : MISFITS[misfit] },
});

const COLUMNS: readonly (readonly [heading: string, of: (part: AnsweredPart) => string])[] = [
  ['asset', ({ asset }) => asset],
  ['quantity', ({ quantity }) => quantity],
  ['date_sold', ({ sold }) => sold],
  ['date_acquired', ({ acquired }) => acquired],
  ['date_sent', ({ sent }) => sent],
  ['tx_hash', ({ txHash }) => txHash],
  ['proceeds_usd', ({ proceeds }) => proceeds],
  ['cost_basis_usd', ({ cost }) => cost],
  ['gain_usd', ({ gain }) => gain],
  ['term', ({ term }) => term],
  ['does_not_fit', ({ misfit }) => misfit],
];

/** Returns the answer as CSV. Empty cells are unknown. */
export const csvOf = (parts: readonly AnsweredPart[]): string =>
  `${dsvFormat(',').formatRows([COLUMNS.map(([heading]) => heading), ...parts.map((part) => COLUMNS.map(([, of]) => safe(of(part))))])}\n`;

/** Spreadsheets run texts that begin with these signs as formulas. An amount below zero is no formula. */
const safe = (cell: string): string => (/^[=+@\t]|^-(?![\d.]+$)/.test(cell) ? `'${cell}` : cell);
