import { DAY_MS, startOf } from '../../../../../pipeline/base/values/day.js';
import { isOfType } from '../../../../../pipeline/books/reports/event-list.js';
import type { Kind } from '../../../../../pipeline/books/reports/event-row.js';
import { type ImportRow, importRows } from '../../../../../pipeline/books/reports/import/import-rows.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { lotsOf, walletEvents } from '../../../dataset/wallet-ledger.js';
import type { ValidParameters } from '../../../parameters/parameters.js';
import { daysOf } from '../../../parameters/time-range.js';
import { ARCHIVE_TYPE } from '../../archive.js';
import { CSV_TYPE, csvChunks, fileNameOf, withMark } from '../../csv.js';
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
  const days = daysOf(parameters, dataset);
  const coverage = dataset.coverageOf(range, addresses);
  const chunksOf = (wallets: readonly string[]) => {
    const rows = distinct(wordedRows(importer, { ...parameters, addresses: wallets }, dataset), importer);
    const chunks = csvChunks(importer.columns, rows);
    return importer.readsMark ? withMark(chunks) : chunks;
  };
  const nameWith = (extension: string) => fileNameOf(`events-${profile}`, addresses, days, extension);
  if (addresses.length === 1 || importer.joint !== undefined)
    return { chunks: chunksOf(addresses), type: CSV_TYPE, fileName: nameWith('csv'), coverage };
  function* files() {
    for (const address of addresses)
      yield { name: walletFileName(profile, address, days), chunks: chunksOf([address]) };
  }
  const archive = { type: ARCHIVE_TYPE, time: dataset.time, fileName: nameWith('zip'), parts: addresses.length };
  return { files: files(), ...archive, coverage };
}

/** Number of characters kept at each end of an address, as wallets display it. */
const ADDRESS_ENDS = 6;

/** Returns a file name such as `koinly-cosmos1x6zdvy...etmx2h-2026.csv`. A period other than a year has its days. */
function walletFileName(profile: string, address: string, [first, last]: readonly [string, string]): string {
  const start = address.slice(0, address.lastIndexOf('1') + 1 + ADDRESS_ENDS);
  const year = first.slice(0, 4);
  const period = first === `${year}-01-01` && last === `${year}-12-31` ? year : `${first}-${last}`;
  return `${profile}-${start}...${address.slice(-ADDRESS_ENDS)}-${period}.csv`;
}

type RowParameters = Pick<ValidParameters, 'addresses' | 'type' | 'range' | 'decisions' | 'opening' | 'openingLots'>;

export function* wordedRows(
  importer: Importer,
  parameters: RowParameters,
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

function worded(row: ImportRow, { words, adapt }: Importer): WordedRow | undefined {
  const adapted = adapt ? adapt(row) : row;
  if (!adapted) return undefined;
  const word = words[adapted.kind];
  if (word === null) return undefined;
  const { tx_hash: txHash, time } = adapted.row.event;
  return { ...adapted, txHash, time, word: typeof word === 'string' ? word : word[adapted.received ? 0 : 1] };
}

/** Changes rows that would look equal to the program, because it would skip all but the first. */
function distinct(rows: Iterable<WordedRow>, { equalRows }: Importer): Iterable<WordedRow> {
  if (equalRows === 'number') return numbered(rows);
  return equalRows === 'spread' ? spread(rows) : rows;
}

function* numbered(rows: Iterable<WordedRow>): Generator<WordedRow, void, undefined> {
  const counts = new Map<string, number>();
  let second = '';
  for (const row of rows) {
    if (row.time !== second) counts.clear();
    second = row.time;
    const key = `${keyOf(row)} ${row.txHash}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    yield count === 0 ? row : { ...row, txHash: `${row.txHash}-${count}` };
  }
}

/**
 * Gives equal rows different seconds of the same day: a send moves back, a receipt moves forward. So a send never comes
 * after the receipt that the program matches it with.
 */
function* spread(rows: Iterable<WordedRow>): Generator<WordedRow, void, undefined> {
  /** Seconds added to the time of the last row with this time and key. */
  const moves = new Map<string, number>();
  let day = '';
  for (const row of rows) {
    if (!row.time.startsWith(day)) moves.clear();
    day = row.time.slice(0, 'YYYY-MM-DD'.length);
    const key = keyOf(row);
    let { time } = row;
    let move = moves.get(`${time} ${key}`) ?? 0;
    while (moves.has(`${time} ${key}`) && move * 1000 < DAY_MS) {
      move++;
      time = withinDay(row.time, row.received ? move : -move);
    }
    moves.set(`${row.time} ${key}`, move);
    if (time !== row.time) moves.set(`${time} ${key}`, 0);
    yield { ...row, time };
  }
}

/** Moves a time by seconds. A time that would leave its day enters the day at the other end. */
function withinDay(time: string, seconds: number): string {
  const start = startOf(time.slice(0, 'YYYY-MM-DD'.length));
  const moved = Date.parse(`${time.replace(' ', 'T')}Z`) - start + seconds * 1000;
  return new Date(start + ((moved + DAY_MS) % DAY_MS))
    .toISOString()
    .slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
    .replace('T', ' ');
}

const keyOf = ({ word, sent, received }: WordedRow): string =>
  [word, ...[sent, received].map((coin) => `${shownAmount(coin)} ${coin?.symbol}`)].join('|');
