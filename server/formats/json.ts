/** JSON of lists that are written as they are made. */
import type { Answer, JsonType } from '../endpoint.js';

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

export const listAnswer = <Row>(list: HeadedList<Row>): Answer => ({ chunks: headedList(list), type: JSON_TYPE });
