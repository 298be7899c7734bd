/**
 * The rows of the report. A long wallet comes in parts of some two thousand rows, so that the page can show how far it is, be stopped,
 * and stay quick.
 */
import { effect, signal } from '@preact/signals';
import type { Event, EventList } from '../../../schemas/types.generated.js';
import { isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { partsOf } from '../values/dates.js';
import type { Exact } from '../values/exact-json.js';
import { type Report, report } from './report.js';
import { requestBody } from './statements.js';

export type Row = Exact<Event>;

export interface LoadedRows {
  /** In the order of the API: wallet by wallet, each in the chain's order, part by part. */
  readonly rows: readonly Row[];
  readonly parts: number;
  readonly loadedParts: number;
}

const NONE: LoadedRows = { rows: [], parts: 0, loadedParts: 0 };
const ROWS_A_PART = 2000;
/** Parts of the longest wallets: fewer than the requests that a client has in a minute. */
const PARTS_MAX = 30;

export const loaded = signal<LoadedRows>(NONE);
export const rowsFailure = signal('');
export const isStopped = signal(false);

let current: AbortController | undefined;

effect(() => {
  const shown = report.value;
  current?.abort();
  rowsFailure.value = '';
  isStopped.value = false;
  if (!shown) {
    loaded.value = NONE;
    return;
  }
  current = new AbortController();
  void load(shown, current.signal);
});

/** Leaves the rows that have not come yet. */
export function stopLoading(): void {
  current?.abort();
  isStopped.value = true;
}

/** Loads the rows again, from the first on. */
export function loadAgain(): void {
  const shown = report.peek();
  if (!shown) return;
  current?.abort();
  current = new AbortController();
  isStopped.value = false;
  rowsFailure.value = '';
  void load(shown, current.signal);
}

async function load({ asked, stated, summary }: Report, abort: AbortSignal): Promise<void> {
  const count = Math.min(PARTS_MAX, Math.ceil(summary.total.rows / ROWS_A_PART));
  const parts = partsOf(summary.start, summary.end, count);
  let rows: Row[] = [];
  // What is shown stays until the first part has come, so that nothing flickers.
  try {
    for (const [i, [start, end]] of parts.entries()) {
      const body = requestBody({ ...asked, start, end }, stated);
      const list = await post<Omit<EventList, 'events'> & { events: Row[] }>(PATHS.events, body, abort);
      rows = rows.concat(list.events.map(slim));
      loaded.value = { rows, parts: parts.length, loadedParts: i + 1 };
    }
  } catch (error) {
    if (!isAbort(error)) rowsFailure.value = messageOf(error);
  }
}

/** Texts that many rows share, once each: half of the memory of a long wallet. */
const shared = new Map<string, string>();
const SHARED = [
  'label',
  'description',
  'validatorMoniker',
  'validatorAddress',
  'address',
  'counterparty',
  'detail',
] as const;

function slim(row: Row): Row {
  const slimmed: Record<string, unknown> = { ...row };
  for (const name of SHARED) {
    const text = row[name];
    const kept = shared.get(text);
    if (kept === undefined) shared.set(text, text);
    else slimmed[name] = kept;
  }
  return slimmed as Row;
}
