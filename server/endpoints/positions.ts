import type { WalletState } from '../../pipeline/ledger/replay.js';
import type { Field } from '../../pipeline/reports/field.js';
import { type Position, positionsNote, positionsOf } from '../../pipeline/reports/positions.js';
import type { Dataset } from '../dataset/dataset.js';
import { ownTransfersOf } from '../dataset/own-transfers.js';
import { type Statements, walletLedger } from '../dataset/wallet-ledger.js';
import type { Answer, Endpoint } from '../endpoint.js';
import { CSV_TYPE, csvChunks, csvFileName } from '../formats/csv.js';
import { inTurns } from '../http/event-loop.js';
import { throughDay } from '../parameters/time-range.js';

export const positions = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/positions',
  summary: 'Open lots and unrealized gain per wallet and asset.',
  description:
    'As of the end of a UTC day, FIFO, each wallet by itself. Staked and unbonding coins are in the quantity, ' +
    'since delegating is no disposal.',
  parameters: ['address', 'chain', 'date', 'tags', 'asset_decisions', 'opening_lots', 'own_wallets', 'format'],
  post: true,
  response: 'positions',
  csv: true,
  policy: 'tax',
  replayed: true,
  decisions: { period: ({ date }) => throughDay(date), saved: false, undecided: 'refused' },
  problems: [],
  async handle({ parameters, dataset }): Promise<Answer> {
    const { addresses, date, format } = parameters;
    const statements = { ...parameters, ownTransfers: await ownTransfersOf(parameters, dataset) };
    const wallets: WalletState[] = [];
    for (const address of addresses) wallets.push(await replayed(address, statements, date, dataset));
    const rows = wallets.flatMap((wallet) => positionsOf(wallet, (denom) => priceOf(dataset, denom, date)));
    const coverage = dataset.coverageOf(throughDay(date));
    if (format === 'csv') {
      const fileName = csvFileName('positions', addresses, [date]);
      return { chunks: csvChunks(POSITION_FIELDS, [rows]), type: CSV_TYPE, fileName, coverage };
    }
    return {
      json: {
        as_of: date,
        methodology_version: dataset.manifest.methodology_version,
        note: noteOf(wallets, dataset),
        coverage,
        count: rows.length,
        positions: rows,
        ...(parameters.tagged.length > 0 && { tagged: parameters.tagged }),
      },
    };
  },
} satisfies Endpoint;

const text = (name: keyof Position): Field<Position> => ({ name, kind: 'text', of: (row) => String(row[name]) });
const decimal = (name: keyof Position): Field<Position> => ({ ...text(name), kind: 'decimal' });

/** The members of a position, in the order of JSON and CSV. */
const POSITION_FIELDS: readonly Field<Position>[] = [
  text('address'),
  text('asset'),
  text('denom'),
  decimal('quantity'),
  decimal('cost_basis_usd'),
  decimal('basis_unknown_quantity'),
  decimal('market_price_usd'),
  decimal('market_value_usd'),
  decimal('unrealized_gain_usd'),
  { ...text('price_missing'), kind: 'boolean' },
  { ...text('lots'), kind: 'number' },
  text('oldest_lot'),
  decimal('opening_quantity'),
];

/** Replays a wallet to the end of the asked day; a long replay leaves other requests their turn. */
async function replayed(address: string, statements: Statements, date: string, dataset: Dataset): Promise<WalletState> {
  const { wallet, entries } = walletLedger(dataset, address, statements, date);
  await inTurns(entries[Symbol.iterator]());
  return wallet;
}

const priceOf = (dataset: Dataset, denom: string, day: string): bigint | null => dataset.prices(denom).get(day) ?? null;

function noteOf(wallets: readonly WalletState[], dataset: Dataset): string {
  const general =
    `Lots are FIFO by the day of acquisition, each wallet by itself; coins held before the index begins on ` +
    `${dataset.indexStart} are no lots but stand in opening_quantity, and leave first. Coins received untagged, also from an own wallet, have an unknown ` +
    'basis: they are valued but cost nothing, and unrealized gain leaves them out.';
  const particular = positionsNote(wallets);
  return particular === '' ? general : `${general} ${particular}`;
}
