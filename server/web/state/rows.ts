/** The report's rows. Long wallets load about 2,000 rows at a time. Loading shows progress and can be cancelled. */
import { computed, effect, signal } from '@preact/signals';
import type { Event, EventList } from '../../../schemas/types.generated.js';
import { type Exact, isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { partsOf } from '../values/dates.js';
import { countedOnly } from './country.js';
import { type Report, report } from './report.js';
import { ofWallets, requestBody, type Statements, zone, zoneIn } from './statements.js';

export type Row = Exact<Event>;

interface LoadedRows {
  /** Ordered by wallet, then in chain order. */
  readonly rows: readonly Row[];
  readonly parts: number;
  readonly loadedParts: number;
}

const NONE: LoadedRows = { rows: [], parts: 0, loadedParts: 0 };
const ROWS_PER_PART = 2000;
/** Maximum number of requests for one report. It is below the quota per minute. */
const PARTS_MAX = 30;

export const loaded = signal<LoadedRows>(NONE);
export const isComplete = computed(() => loaded.value.parts > 0 && loaded.value.loadedParts === loaded.value.parts);
export const isReading = signal(false);
export const rowsFailure = signal('');
export const isStopped = signal(false);

interface Part {
  readonly start: string;
  readonly end: string;
  rows: readonly Row[];
  /** True if these rows were loaded with the current statements. */
  isRead: boolean;
}

let current: AbortController | undefined;
let parts: Part[] = [];
let readFor: Report | undefined;

effect(() => {
  const shown = report.value;
  current?.abort();
  isReading.value = false;
  rowsFailure.value = '';
  isStopped.value = false;
  if (!shown) {
    loaded.value = NONE;
  } else if (readFor && isSamePeriod(readFor, shown)) {
    const changed = changedRows(shown.query.addresses, readFor.stated, shown.stated);
    for (const part of parts) part.isRead &&= !part.rows.some(({ id }) => changed.has(id));
  } else {
    parts = partsFor(shown);
    loaded.value = { ...loaded.peek(), parts: parts.length, loadedParts: 0 };
  }
  readFor = shown;
  if (shown) readRest();
});

/** Returns true if both reports have the same rows, of the same days and the same dataset. */
const isSamePeriod = (one: Report, other: Report): boolean =>
  one.query === other.query &&
  one.summary.generation === other.summary.generation &&
  zoneIn(one.stated) === zoneIn(other.stated);

/** Returns the time of a row in the page's zone, YYYY-MM-DD HH:MM:SS. */
export const localTime = ({ date }: Pick<Row, 'date'>): string =>
  zone.value.localText(date).slice(0, 19).replace('T', ' ');

/**
 * Returns the ids of rows whose statements changed. Only these rows reload, because a row does not depend on lots or
 * sums.
 */
function changedRows(addresses: readonly string[], before: Statements, now: Statements): ReadonlySet<string> {
  const ids = (['decisions', 'tags'] as const).flatMap((kind) => {
    const [old, other] = [ofWallets<unknown>(before[kind], addresses), ofWallets<unknown>(now[kind], addresses)];
    const all = Object.keys({ ...old, ...other });
    return all.filter((id) => JSON.stringify(old[id]) !== JSON.stringify(other[id]));
  });
  return new Set(ids);
}

function partsFor({ summary: { start, end, total } }: Report): Part[] {
  const count = Math.min(PARTS_MAX, Math.ceil(total.rows / ROWS_PER_PART));
  return partsOf(start, end, count).map(([first, last]) => ({ start: first, end: last, rows: [], isRead: false }));
}

/** Stops loading. Rows that are not loaded yet stay unloaded. */
export function stopLoading(): void {
  current?.abort();
  isReading.value = false;
  isStopped.value = true;
}

export function readRest(): void {
  current?.abort();
  current = new AbortController();
  isStopped.value = false;
  rowsFailure.value = '';
  void read(current.signal);
}

async function read(abort: AbortSignal): Promise<void> {
  const { query, stated } = readFor!;
  isReading.value = true;
  // Keeps the old rows on screen until new rows arrive, to avoid flicker.
  try {
    for (const part of parts.filter(({ isRead }) => !isRead)) {
      const body = countedOnly(requestBody({ ...query, start: part.start, end: part.end }, stated), stated);
      const list = await post<Omit<EventList, 'events'> & { events: Row[] }>(PATHS.events, body, abort);
      part.rows = list.events.map(slim);
      part.isRead = true;
      const loadedParts = parts.filter(({ isRead }) => isRead).length;
      loaded.value = { rows: parts.flatMap(({ rows }) => rows), parts: parts.length, loadedParts };
    }
  } catch (error) {
    if (!isAbort(error)) rowsFailure.value = messageOf(error);
  }
  if (!abort.aborted) isReading.value = false;
}

/** Stores equal strings once, which halves the memory of long wallets. */
const shared = new Map<string, string>();
const SHARED = [
  'categoryLabel',
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

export const kindsOfRows = computed<readonly (readonly [category: string, label: string])[]>(() => {
  const kinds = new Map(loaded.value.rows.map(({ category, categoryLabel }) => [category, categoryLabel]));
  return [...kinds].sort(([, a], [, b]) => a.localeCompare(b, 'en'));
});
