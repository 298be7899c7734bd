import { isOfType } from '../../../../../pipeline/reports/event-list.js';
import type { Kind } from '../../../../../pipeline/reports/event-row.js';
import { type ImportCoin, type ImportRow, importRows } from '../../../../../pipeline/reports/import/import-rows.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { lotsOf, walletEvents } from '../../../dataset/wallet-ledger.js';
import type { ValidParameters } from '../../../parameters/parameters.js';
import { daysOf } from '../../../parameters/time-range.js';
import { ARCHIVE_TYPE } from '../../archive.js';
import { csvAnswer, csvChunks, fileNameOf } from '../../csv.js';
import { awaken } from './awaken.js';
import { bittytax } from './bittytax.js';
import { coinledger } from './coinledger.js';
import { cointracker } from './cointracker.js';
import { cointracking } from './cointracking.js';
import { cryptio } from './cryptio.js';
import { type Importer, shownAmount, type WordedRow } from './importer.js';
import { koinly } from './koinly.js';
import { taxbit } from './taxbit.js';
import { turbotax } from './turbotax.js';
import { zenledger } from './zenledger.js';

export const IMPORTERS = {
  koinly,
  cointracker,
  coinledger,
  zenledger,
  cointracking,
  awaken,
  turbotax,
  taxbit,
  cryptio,
  bittytax,
} satisfies Readonly<Record<string, Importer>>;

/**
 * Formats /events for import into another program. Several wallets become an archive with one file each, unless the
 * program reads a joint file. Sorts the rows of a file by time, because some programs require it.
 */
export function importAnswer(parameters: ValidParameters, dataset: Dataset): Answer {
  const { profile, addresses, range } = parameters;
  const importer: Importer = IMPORTERS[profile as keyof typeof IMPORTERS];
  const days = daysOf(range, dataset);
  const coverage = dataset.coverageOf(range, addresses);
  const rowsOf = (wallets: readonly string[]) =>
    distinct(wordedRows(importer, { ...parameters, addresses: wallets }, dataset), importer);
  const nameWith = (extension: string) => fileNameOf(`events-${profile}`, addresses, days, extension);
  if (addresses.length === 1 || importer.joint !== undefined)
    return csvAnswer(importer.columns, rowsOf(addresses), { fileName: nameWith('csv'), coverage });
  function* files() {
    for (const address of addresses) {
      const chunks = csvChunks(importer.columns, rowsOf([address]));
      yield { name: walletFileName(profile, address, days), chunks };
    }
  }
  const archive = { type: ARCHIVE_TYPE, time: dataset.time, fileName: nameWith('zip'), parts: addresses.length };
  return { files: files(), ...archive, coverage };
}

/** Number of characters that wallets show of both ends of an address. */
const ADDRESS_ENDS = 6;

/** Returns a file name such as `koinly-cosmos1x6zdvy...etmx2h-2026.csv`. A period other than a year has its days. */
function walletFileName(profile: string, address: string, [first, last]: readonly [string, string]): string {
  const start = address.slice(0, address.lastIndexOf('1') + 1 + ADDRESS_ENDS);
  const year = first.slice(0, 4);
  const period = first === `${year}-01-01` && last === `${year}-12-31` ? year : `${first}-${last}`;
  return `${profile}-${start}...${address.slice(-ADDRESS_ENDS)}-${period}.csv`;
}

function* wordedRows(
  importer: Importer,
  parameters: ValidParameters,
  dataset: Dataset,
): Generator<WordedRow, void, undefined> {
  const { addresses, type, range, decisions, opening } = parameters;
  const isIncluded = (kind: Kind) => importer.words[kind] !== null;
  const day = dataset.indexStart;
  const wallets = addresses.map((address) => ({
    events: () => walletEvents(dataset, address),
    opening: dataset.opening(address),
    receipts: opening === 'deposit' ? { address, day, lots: lotsOf(address, parameters) } : undefined,
  }));
  for (const row of importRows(wallets, { context: dataset.rowContext, decisions, isIncluded, range })) {
    const read = isOfType(row.row, type) ? worded(row, importer) : undefined;
    if (read) yield read;
  }
}

export function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  const { tx_hash: txHash } = adapted.row.event;
  return { ...adapted, txHash, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}

/** Changes rows that would look equal to the program, because it would skip all but the first. */
export function distinct(rows: Iterable<WordedRow>, { equalRows }: Importer): Iterable<WordedRow> {
  if (equalRows === 'number') return numbered(rows);
  return equalRows === 'add' ? addedUp(rows) : rows;
}

function* numbered(rows: Iterable<WordedRow>): Generator<WordedRow, void, undefined> {
  for (const second of bySecond(rows)) {
    const counts = new Map<string, number>();
    for (const row of second) {
      const key = `${keyOf(row)} ${row.txHash}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      yield count === 0 ? row : { ...row, txHash: `${row.txHash}-${count}` };
    }
  }
}

function* addedUp(rows: Iterable<WordedRow>): Generator<WordedRow, void, undefined> {
  for (const second of bySecond(rows)) {
    let left = second;
    // Repeats the addition, because a sum may equal another row. For example, 4 + 4 equals a row of 8.
    for (let count = Infinity; left.length < count; left = sumsOfEqual(left)) count = left.length;
    yield* left;
  }
}

function sumsOfEqual(rows: readonly WordedRow[]): WordedRow[] {
  const equal = new Map<string, WordedRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const same = equal.get(key);
    if (same) same.push(row);
    else equal.set(key, [row]);
  }
  return [...equal.values()].map((same) => times(same[0]!, BigInt(same.length)));
}

/** Groups the rows of the same second, which are adjacent. */
function* bySecond(rows: Iterable<WordedRow>): Generator<WordedRow[], void, undefined> {
  let group: WordedRow[] = [];
  for (const row of rows) {
    if (group.length > 0 && group[0]!.row.event.time !== row.row.event.time) {
      yield group;
      group = [];
    }
    group.push(row);
  }
  if (group.length > 0) yield group;
}

const keyOf = ({ word, sent, received }: WordedRow): string =>
  [word, ...[sent, received].map((coin) => `${shownAmount(coin)} ${coin?.symbol}`)].join('|');

/** Multiplies a row's amounts. The value stays, because programs with added rows have no column for it. */
function times(row: WordedRow, count: bigint): WordedRow {
  const all = (coin: ImportCoin | undefined) => coin && { ...coin, units: coin.units * count };
  return { ...row, sent: all(row.sent), received: all(row.received) };
}
