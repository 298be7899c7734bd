/** Loads the coins that went to own places, and finds receipts that may only have brought them home. */
import { computed, effect, signal } from '@preact/signals';
import { OWN_TRANSFER } from '../../../pipeline/books/ledger/homecoming.js';
import type { EventList, TransferredBasis, TransferredLot } from '../../../schemas/types.generated.js';
import { isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { dayBefore } from '../values/dates.js';
import { type Place, placesOf, type ReturnAnswer, returnTest } from '../values/places.js';
import { countedOnly } from './country.js';
import type { ReportQuery } from './query.js';
import { leftOut, type Report, report } from './report.js';
import { isComplete, loaded, type Row } from './rows.js';
import {
  carries,
  decisionOf,
  isFromElsewhere,
  ledgerBody,
  requestBody,
  type StatedRow,
  tagOf,
  zoneIn,
} from './statements.js';

interface Homecomings {
  /** Lots of all sends to own places up to the end of the period. */
  readonly lots: readonly TransferredLot[];
  /** Rows from the first of these sends to the day before the period. */
  readonly earlier: readonly Row[];
}

const NONE: Homecomings = { lots: [], earlier: [] };
const homecomings = signal(NONE);
export const areHomecomingsLoading = signal(false);
export const homecomingsFailure = signal('');

let current: AbortController | undefined;

/** Loads the lots again after each answer. The rows before the period load once. */
export function findHomecomings(): void {
  const shown = report.peek();
  current?.abort();
  homecomingsFailure.value = '';
  areHomecomingsLoading.value = shown !== undefined;
  if (!shown) {
    homecomings.value = NONE;
    return;
  }
  current = new AbortController();
  void load(shown, current.signal);
}

/** Summary of the report whose lots are loaded. A report keeps its summary if an answer changes no request. */
let loadedFor: Report['summary'] | undefined;

effect(() => {
  const summary = report.value?.summary;
  if (summary && summary === loadedFor) return;
  loadedFor = summary;
  findHomecomings();
});

async function load(shown: Report, abort: AbortSignal): Promise<void> {
  const { query } = shown;
  try {
    const { lines } = await post<TransferredBasis>(PATHS.transferred, transferredBody(shown), abort);
    const first = lines.reduce((day, { date }) => (date < day ? date : day), query.start);
    homecomings.value = { lots: lines, earlier: await earlierRows(shown, first, abort) };
    areHomecomingsLoading.value = false;
  } catch (error) {
    if (isAbort(error)) return;
    homecomingsFailure.value = messageOf(error);
    areHomecomingsLoading.value = false;
  }
}

/** Returns the request for the lots of all sends to own places up to the end of the period. */
export function transferredBody({ query, stated }: Report): Record<string, unknown> {
  const { start: _, ...body } = countedOnly(ledgerBody(query, stated), stated);
  return body;
}

interface Earlier {
  readonly query: ReportQuery;
  readonly zone: string;
  readonly first: string;
  readonly rows: readonly Row[];
}

let known: Earlier | undefined;

/** Groups of rows that may be sends to own places and returns from them. */
const TYPES = ['transfers', 'ibc_in', 'ibc_out'] as const;

async function earlierRows({ query, stated }: Report, first: string, abort: AbortSignal): Promise<readonly Row[]> {
  if (first >= query.start) return [];
  const zone = zoneIn(stated);
  if (known?.query === query && known.zone === zone && known.first === first) return known.rows;
  const body = countedOnly(requestBody({ ...query, start: first, end: dayBefore(query.start) }, stated), stated);
  const rows: Row[] = [];
  for (const type of TYPES) {
    const { events } = await post<Omit<EventList, 'events'> & { events: Row[] }>(
      PATHS.events,
      { ...body, type },
      abort,
    );
    rows.push(...events);
  }
  known = { query, zone, first, rows: rows.sort((a, b) => a.height - b.height) };
  return known.rows;
}

/** Wallets and days whose rows have all been loaded. While rows load again after an answer, the old rows are used. */
const loadedQuery = signal<ReportQuery | undefined>(undefined);

effect(() => {
  if (isComplete.value) loadedQuery.value = report.peek()?.query;
});

export const places = computed<readonly Place<Row>[]>(() => {
  const shown = report.value;
  const { lots, earlier } = homecomings.value;
  if (!shown || loadedQuery.value !== shown.query || lots.length === 0) return [];
  const { query, stated } = shown;
  const spam = leftOut(shown);
  return placesOf({
    ...{ lots, names: stated.places, isCarried: carries(query, stated) },
    rows: [...earlier, ...loaded.value.rows].filter(({ id }) => !spam.has(id)),
    answerTo: (row) => answerTo(row, shown),
    isSettled: (row) => !['', OWN_TRANSFER].includes(tagOf(row, stated)) || isOverridden(row, shown),
    isOwn: (row) => tagOf(row, stated) === OWN_TRANSFER,
  });
});

const isOverridden = (row: StatedRow, { stated }: Report) => decisionOf(row, stated)?.mode === 'override';

function answerTo(row: StatedRow, { stated }: Report): ReturnAnswer {
  if (decisionOf(row, stated)?.mode === 'return') return 'yes';
  return isFromElsewhere(row, stated) ? 'no' : undefined;
}

export const receiptsOfPlaces = computed<readonly Row[]>(() =>
  places.value.flatMap(({ receipts }) => receipts.map(({ row }) => row)),
);

/** Returns the receipts that may have come home, and about which the user has not answered. */
export const openReceipts = (shown: Report): readonly Row[] =>
  receiptsOfPlaces.value.filter((row) => answerTo(row, shown) === undefined);

/** Returns a test whether coins of a row's denom had been sent to an own place before. */
export const mayHaveComeHome = ({ query, stated }: Report): ((row: Row) => boolean) =>
  returnTest({ lots: homecomings.value.lots, isCarried: carries(query, stated) });

/** Reports whether any of the rows sent coins to an own place. */
export const wentToOwnPlace = (rows: readonly StatedRow[]): boolean => {
  const sent = new Set(homecomings.value.lots.map(({ row }) => row));
  return rows.some(({ id }) => sent.has(id));
};
