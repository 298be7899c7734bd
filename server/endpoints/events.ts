import { zoneNamed } from '../../pipeline/base/values/zones.js';
import { type Decisions, isDecided } from '../../pipeline/books/ledger/decisions.js';
import { type EventListHead, EventSummary, isOfType, openEventList } from '../../pipeline/books/reports/event-list.js';
import { EVENT_FIELDS, type EventRow, eventJson, walletRows } from '../../pipeline/books/reports/event-row.js';
import type { Field } from '../../pipeline/books/reports/field.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { walletEvents } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { type HeadedList, listAnswer, listTail } from '../tax/formats/json.js';
import { importAnswer } from '../tax/formats/profiles/importers/index.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf } from '../tax/parameters/time-range.js';

export const events = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/events',
  summary: 'Taxable events and record-only rows of one or more wallets.',
  description:
    'Every movement of coins and every staking act, one row each, valued at the UTC day’s published price. Rows are ' +
    'grouped by address in the order of the request, then sorted in chain order. Tags and asset decisions change ' +
    'the treatment of their rows in this response only. With a profile the response is a CSV file for tax software, or a ZIP archive with one file for each wallet.',
  parameters: [
    'address',
    'chain',
    'timezone',
    'type',
    'start',
    'end',
    'tags',
    'asset_decisions',
    'format',
    'profile',
    'bom',
    'opening_lots',
    'opening',
  ],
  post: true,
  response: 'events',
  csv: true,
  profileTypes: ['application/zip'],
  policy: 'tax',
  replayed: true,
  decisions: { period: ({ range }) => range, saved: true, undecided: 'refused' },
  handle({ parameters, dataset }): Answer {
    if (parameters.profile !== '') return importAnswer(parameters, dataset);
    if (parameters.format !== 'csv') return listAnswer(jsonList(parameters, dataset));
    const { addresses, range } = parameters;
    const fileName = fileNameOf('events', addresses, daysOf(parameters, dataset));
    return csvAnswer([...EVENT_FIELDS, ...dateFields(parameters)], listedRows(parameters, dataset), {
      fileName,
      coverage: dataset.coverageOf(range, addresses),
    });
  },
} satisfies Endpoint;

const headOf = ({ type, addresses, range: { start, end } }: ValidParameters, { manifest }: Dataset): EventListHead => ({
  type,
  addresses,
  start,
  end,
  methodologyVersion: manifest.methodology_version,
});

/** With a time zone, each event also has its local time. */
function dateFields({ timezone }: ValidParameters): Field<EventRow>[] {
  if (timezone === undefined) return [];
  const zone = zoneNamed(timezone);
  return [{ name: 'localDate', kind: 'word', of: ({ event }) => zone.localText(event.time) }];
}

function writerOf(parameters: ValidParameters): (row: EventRow) => string {
  const [date] = dateFields(parameters);
  return date ? (row) => `${eventJson(row).slice(0, -1)},"${date.name}":"${date.of(row)}"}` : eventJson;
}

function jsonList(parameters: ValidParameters, dataset: Dataset): HeadedList<EventRow> {
  const { rules } = dataset.reference;
  const summary = new EventSummary(rules);
  return {
    rows: () => listedRows(parameters, dataset),
    note: (row) => summary.add(row),
    head: () =>
      openEventList(
        headOf(parameters, dataset),
        summary,
        rules,
        dataset.coverageOf(parameters.range, parameters.addresses),
      ),
    write: writerOf(parameters),
    tail: listTail(parameters),
  };
}

function* listedRows(parameters: ValidParameters, dataset: Dataset): Generator<EventRow, void, undefined> {
  const { addresses, type, range, decisions } = parameters;
  for (const address of addresses) {
    for (const row of rowsUntil(range.to, address, decisions, dataset)) {
      if (row.event.time >= range.from && isOfType(row, type)) yield row;
    }
  }
}

/** Yields the rows of a wallet from its beginning until a time. */
function* rowsUntil(
  to: string,
  address: string,
  decisions: Decisions,
  dataset: Dataset,
): Generator<EventRow, void, undefined> {
  const rowOf = rowMaker(address, decisions, dataset);
  let i = 0;
  for (const event of walletEvents(dataset, address)) {
    if (event.time > to) return;
    yield rowOf(event, i++);
  }
}

/** Returns a function that makes a wallet's rows. It returns the cached row unless a decision of the caller changes it. */
function rowMaker(
  address: string,
  decisions: Decisions,
  dataset: Dataset,
): (event: PricedEvent, i: number) => EventRow {
  const cached = dataset.cachedRows(address);
  if (cached && decisions.tags.size === 0 && decisions.assets.size === 0) return (_, i) => cached[i]!;
  const rowOf = walletRows(dataset.rowContext, decisions);
  if (!cached) return rowOf;
  return (event, i) => {
    const kept = cached[i]!;
    const isRowDecided = isDecided(decisions, event);
    if (!isRowDecided && kept.incomeAccount === undefined) return kept; // no other row changes its value
    const row = rowOf(event);
    return isRowDecided || row.value !== kept.value ? row : kept;
  };
}
