/** JSON lists, written as they are made. */
import type { ReachedRows } from '../../pipeline/ledger/decisions/reached-rows.js';
import type { Answer, JsonType } from '../endpoint.js';

export const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/** Largest number of rows whose text is kept until the head is known; longer lists are made a second time instead. */
const KEPT_ROWS_MAX = 2_000;

export interface HeadedList<Row> {
  /** Makes the rows, the same ones at each call, in batches that take a few milliseconds at most. */
  readonly batches: () => Iterable<readonly Row[]>;
  /** Called once with every row before the head is written. */
  readonly note: (row: Row) => void;
  /** The text before the first row. */
  readonly head: () => string;
  readonly write: (row: Row) => string;
  /** The text behind the last row. */
  readonly tail: string;
}

/**
 * Writes a list behind members that sum it up. Every batch gives a chunk, an empty one while rows are only counted, so that the
 * reader can give other requests their turn in between.
 */
export function* headedList<Row>(list: HeadedList<Row>): Generator<string, void, undefined> {
  const { batches, note, head, write, tail } = list;
  let texts: string[] | undefined = [];
  for (const batch of batches()) {
    for (const row of batch) {
      note(row);
      texts?.push(write(row));
    }
    if (texts && texts.length > KEPT_ROWS_MAX) texts = undefined;
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

/** Members that tell of the request, behind an answer's own. */
interface Told {
  readonly tagged: readonly ReachedRows[];
  readonly savedLots: number | undefined;
  readonly ignored: readonly string[];
}

/** The last members of an answer: the rows that each tag reached, saved opening lots that count, ignored parameters, where it has such. */
export const responseExtras = ({ tagged, savedLots, ignored }: Told) => ({
  ...(tagged.length > 0 && { tagged }),
  ...(savedLots !== undefined && { saved_opening_lots: savedLots }),
  ...(ignored.length > 0 && { ignored }),
});

/** The end of a list, and of the object that it is a member of. */
export function listTail(told: Told): string {
  const members = JSON.stringify(responseExtras(told)).slice(1);
  return members === '}' ? ']}' : `],${members}`;
}
