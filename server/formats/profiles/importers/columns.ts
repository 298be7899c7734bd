/** Columns that importers have in common, each by the heading that the program knows it by. */
import { formatDecimal } from '../../../../pipeline/ledger/amount.js';
import { type Field, fieldsOf } from '../../../../pipeline/reports/field.js';
import type { ImportCoin } from '../../../../pipeline/reports/import/import-row.js';
import type { WordedRow } from './importer.js';

type Column = Field<WordedRow>;
type Side = 'sent' | 'received';

export const { text, decimal } = fieldsOf<WordedRow>();

/** A column that the program has and the chain has nothing for. */
export const blank = (name: string): Column => text(name, () => '');
/** A column that says the same in every row. */
export const constant = (name: string, value: string): Column => text(name, () => value);
export const word = (name: string): Column => text(name, (row) => row.word);

/** An amount as a plain decimal. */
export const shownAmount = (coin: ImportCoin | undefined): string =>
  coin === undefined ? '' : formatDecimal(coin.units, coin.decimals);

export const amount = (name: string, side: Side): Column => decimal(name, (row) => shownAmount(row[side]));
export const currency = (name: string, side: Side, symbolOf = ({ symbol }: ImportCoin): string => symbol): Column =>
  text(name, (row) => (row[side] ? symbolOf(row[side]) : ''));
/** Worth of the row in USD; with a side, of rows that have that side. */
export const value = (name: string, side?: Side): Column =>
  decimal(name, (row) => (side === undefined || row[side] ? row.valueUsd : ''));

/** YYYY-MM-DD HH:MM:SS in UTC. */
export const isoTime = (name: string): Column => text(name, ({ row }) => row.event.time);
/** MM/DD/YYYY HH:MM:SS in UTC. */
export const americanTime = (name: string): Column =>
  text(name, ({ row }) => row.event.time.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$2/$3/$1'));

export const txHash = (name: string): Column => text(name, ({ row }) => row.event.tx_hash);
/** Id of the row: stable, and no other row has it. */
export const rowId = (name: string): Column => text(name, ({ row }) => `${row.event.id}.${row.event.address}`);
/** Description of what happened. */
export const description = (name: string): Column => text(name, describe);

export function describe({ row, sent, received }: WordedRow): string {
  const denoms = [sent, received].flatMap((coin) => (coin?.unlisted === undefined ? [] : [coin.denom]));
  return [row.category.label, row.event.detail, ...denoms].filter((part) => part !== '').join('; ');
}
