/**
 * Rows about which the caller decides nothing. They are the same in every answer, and most rows of a tagged one are such:
 * they are valued, written and packed once, as long as the dataset keeps their events.
 */
import { LRUCache } from 'lru-cache';
import { type Decisions, isDecided } from '../pipeline/ledger/decisions/decisions.js';
import { type EventRow, eventJson, eventRow, type RowContext } from '../pipeline/reports/event-row.js';
import type { PricedEvent } from '../schemas/types.generated.js';
import { KeptText, type Part } from './gzip-member.js';

interface Plain {
  readonly row: EventRow;
  json: string | undefined;
}

const plain = new WeakMap<PricedEvent, Plain>();

/** Rows in turn that are plain, and the text of their list. */
interface Run {
  readonly rows: readonly EventRow[];
  readonly text: KeptText;
}

/** Characters of runs that are kept, and of the shortest that is worth it. */
const KEPT_RUNS = 8 * 1024 * 1024;
const SHORTEST_RUN = 1024;

/** By their first row: of those that begin with the same one, the one that was asked for last. */
const runs = new LRUCache<EventRow, Run>({ maxSize: KEPT_RUNS });

/** The row of an event that the dataset keeps: made by eventRow, or as it was made before. */
export function keptRow(event: PricedEvent, context: RowContext, decisions: Decisions): EventRow {
  if (isDecided(event, decisions)) return eventRow(event, context, decisions);
  let known = plain.get(event);
  if (!known) {
    known = { row: eventRow(event, context), json: undefined };
    plain.set(event, known);
  }
  return known.row;
}

/** As eventJson. */
export function keptJson(row: EventRow): string {
  const known = plain.get(row.event);
  if (known?.row !== row) return eventJson(row);
  known.json ??= eventJson(row);
  return known.json;
}

const isPlain = (row: EventRow) => plain.get(row.event)?.row === row;

/** Rows as they stand in a list, commas between them: the text of plain ones in turn is kept. */
export function rowParts(rows: readonly EventRow[]): Part[] {
  const parts: Part[] = [];
  for (let start = 0, end = 0; start < rows.length; start = end) {
    const kept = isPlain(rows[start]!);
    while (end < rows.length && isPlain(rows[end]!) === kept) end++;
    const stretch = rows.slice(start, end);
    if (start > 0) parts.push(',');
    parts.push(kept ? runOf(stretch) : stretch.map(keptJson).join(','));
  }
  return parts;
}

function runOf(rows: readonly EventRow[]): Part {
  const known = runs.get(rows[0]!);
  if (known && areSame(known.rows, rows)) return known.text;
  const text = rows.map(keptJson).join(',');
  if (text.length < SHORTEST_RUN) return text;
  const run = { rows, text: new KeptText(text) };
  runs.set(rows[0]!, run, { size: text.length });
  return run.text;
}

const areSame = (some: readonly EventRow[], others: readonly EventRow[]) =>
  some.length === others.length && some.every((row, i) => row === others[i]);
