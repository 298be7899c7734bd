/** JSON of lists that are written as they are made. */
import { SEGMENT_ROWS } from '../../pipeline/wallet-store/events-format.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Answer, JsonType } from '../endpoint.js';
import type { Part } from '../gzip-member.js';

const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/** Rows whose text is kept while the head is not known yet; longer lists are made a second time instead. */
const KEPT_ROWS = 2_000;

export interface HeadedList<Row> {
  /** Makes the rows, the same ones each time, in batches that take a few milliseconds at the most. */
  readonly batches: () => Iterable<readonly Row[]>;
  /** Sees every row once before the head is written. */
  readonly note: (row: Row) => void;
  /** Everything before the first row. */
  readonly head: () => string;
  readonly write: (row: Row) => string;
  /** Rows with commas between them, in parts of which some come again in other answers; as they are written where it is not given. */
  readonly parts?: (rows: readonly Row[]) => readonly Part[];
  /** Everything behind the last row. */
  readonly tail: string;
}

/**
 * A list behind members that sum it up. A chunk is given for every batch, '' where there is nothing to say, so that
 * whoever reads can do something else in between.
 */
export function* headedList<Row>(list: HeadedList<Row>): Generator<string, void, undefined> {
  const { batches, note, head, write, tail } = list;
  let texts: string[] | undefined = [];
  for (const batch of batches()) {
    for (const row of batch) {
      note(row);
      texts?.push(write(row));
    }
    if (texts && texts.length > KEPT_ROWS) texts = undefined;
    yield '';
  }
  yield head();
  if (texts) yield texts.join(',');
  else yield* separated(batches(), write);
  yield tail;
}

function* separated<Row>(batches: Iterable<readonly Row[]>, write: (row: Row) => string): Generator<string> {
  let comma = '';
  for (const batch of batches) {
    yield batch.length === 0 ? '' : comma + batch.map(write).join(',');
    if (batch.length > 0) comma = ',';
  }
}

/** Wallets that fit one stored segment are answered at once, with a length; larger ones as they are read. */
export function listAnswer<Row>(list: HeadedList<Row>, addresses: readonly string[], dataset: Dataset): Answer {
  const size = addresses.reduce((sum, address) => sum + dataset.rows(address), 0);
  if (size > SEGMENT_ROWS) return { chunks: headedList(list), type: JSON_TYPE };
  const { batches, note, head, write, parts, tail } = list;
  const rows = [...batches()].flat();
  rows.forEach(note);
  const listed = parts ? parts(rows) : [rows.map(write).join(',')];
  return { parts: [head(), ...listed, tail], type: JSON_TYPE };
}
