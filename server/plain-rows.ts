/**
 * Rows about which the caller decides nothing. They are the same in every answer, and most rows of a tagged one are such:
 * they are valued and written once, as long as the dataset keeps their events.
 */
import { type Decisions, isDecided } from '../pipeline/ledger/decisions.js';
import { type EventRow, eventJson, eventRow, type RowContext } from '../pipeline/ledger/event-row.js';
import type { PricedEvent } from '../schemas/types.generated.js';

interface Plain {
  readonly row: EventRow;
  json: string | undefined;
}

const plain = new WeakMap<PricedEvent, Plain>();

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
