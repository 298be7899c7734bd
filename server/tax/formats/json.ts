import type { TaggedRows } from '../../../schemas/types.generated.js';
import type { Answer, JsonType } from '../../http/answer.js';

export const JSON_TYPE: JsonType = 'application/json; charset=utf-8';

/**
 * Up to this number, rows are kept in memory as JSON until the list's head is known. Longer lists are generated twice.
 */
const BUFFERED_ROWS_MAX = 2_000;

export interface HeadedList<Row> {
  /** Returns the rows. Each call must return the same rows. */
  readonly rows: () => Iterable<Row>;
  /** Called for each row before `head` is called, for example to sum amounts. */
  readonly note: (row: Row) => void;
  readonly head: () => string;
  readonly write: (row: Row) => string;
  readonly tail: string;
}

const CHUNK_ROWS = 100;

/** Writes a JSON object with a head and a list. The head may depend on the rows, for example on their number. */
function* headedList<Row>(list: HeadedList<Row>): Generator<string, void, undefined> {
  const { rows, note, head, write, tail } = list;
  let texts: string[] | undefined = [];
  for (const row of rows()) {
    note(row);
    if (texts && texts.push(write(row)) > BUFFERED_ROWS_MAX) texts = undefined;
  }
  yield head();
  if (texts) yield texts.join(',');
  else yield* separated(rows(), write);
  yield tail;
}

function* separated<Row>(rows: Iterable<Row>, write: (row: Row) => string): Generator<string> {
  let texts: string[] = [];
  let comma = '';
  for (const row of rows) {
    if (texts.push(write(row)) < CHUNK_ROWS) continue;
    yield comma + texts.join(',');
    texts = [];
    comma = ',';
  }
  if (texts.length > 0) yield comma + texts.join(',');
}

export const listAnswer = <Row>(list: HeadedList<Row>): Answer => ({ chunks: headedList(list), type: JSON_TYPE });

interface RequestExtras {
  readonly tagged: readonly TaggedRows[];
  readonly savedLots: number | undefined;
  readonly ignored: readonly string[];
}

/** Members of a response that follow its list and describe the request. */
export const responseExtras = ({ tagged, savedLots, ignored }: RequestExtras) => ({
  ...(tagged.length > 0 && { tagged }),
  ...(savedLots !== undefined && { saved_opening_lots: savedLots }),
  ...(ignored.length > 0 && { ignored }),
});

/** Returns the text that ends the list and its object. */
export function listTail(extras: RequestExtras): string {
  const members = JSON.stringify(responseExtras(extras)).slice(1);
  return members === '}' ? ']}' : `],${members}`;
}
