import { toJson } from '../../pipeline/base/json/exact-json.js';
import { fieldsOf, jsonWriter } from '../../pipeline/books/reports/field.js';
import { type JournalContext, type JournalLine, journalLines } from '../../pipeline/books/reports/journal.js';
import { USUAL } from '../../pipeline/books/terms.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { entriesOfRange, ownTransfersOf, type Stated } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { listAnswer, listTail } from '../tax/formats/json.js';
import { FORM_8949, formAnswer } from '../tax/formats/profiles/form8949/form-answer.js';
import { ledgerAnswer } from '../tax/formats/profiles/ledgers/ledger-answer.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf, upTo } from '../tax/parameters/time-range.js';

export const journal = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/journal',
  summary: 'Double-entry journal of one or more wallets.',
  description:
    `One debit and one credit line per entry, grouped by wallet in date order, in ${USUAL.currency.code} at the published prices. ` +
    'The replay always covers a wallet’s whole history; start and end select the lines shown. ' +
    'With a profile the response is a file for bookkeeping software, or Form 8949. group sums entries by day or month.',
  parameters: [
    'address',
    'chain',
    'timezone',
    'start_day',
    'end_day',
    ...STATEMENTS,
    'format_csv_first',
    'journal_profile',
    'bom',
    'accounts',
    'group',
    'fees',
    'tax_rate',
    'part',
  ],
  post: true,
  response: 'journal',
  csv: true,
  profileTypes: ['text/plain', 'application/pdf', 'application/zip'],
  profileResponse: 'form8949',
  policy: 'tax',
  replayed: true,
  // Decisions about rows before the period also apply, because they change the lots that are sold in the period.
  decisions: { period: ({ range }) => upTo(range.to), saved: true, undecided: 'refused' },
  isExpensive: ({ format }) => format === 'pdf',
  async handle({ parameters, dataset }): Promise<Answer> {
    const ownTransfers = ownTransfersOf(parameters, dataset);
    if (parameters.profile === FORM_8949.profile) return formAnswer({ ...parameters, ownTransfers }, dataset);
    if (parameters.profile !== '') return ledgerAnswer({ ...parameters, ownTransfers }, dataset);
    const lines = () => listedLines({ ...parameters, ownTransfers }, dataset);
    const coverage = dataset.coverageOf(parameters.range, parameters.addresses);
    if (parameters.format !== 'json') {
      const fileName = fileNameOf('journal', parameters.addresses, daysOf(parameters, dataset));
      return csvAnswer(fieldsOfLines(parameters), lines(), { fileName, coverage });
    }
    let count = 0;
    return listAnswer({
      rows: lines,
      note: () => count++,
      head: () => `{"count":${count},"coverage":${toJson(coverage)},"lines":[`,
      write: parameters.timezone === undefined ? writeLine : writeDatedLine,
      tail: listTail(parameters),
    });
  },
} satisfies Endpoint;

const { text, word, decimal } = fieldsOf<JournalLine>();

const LINE_FIELDS = [
  word('date_utc'),
  word('tx_hash'),
  word('entry_id'),
  text('account'),
  decimal('debit_usd'),
  decimal('credit_usd'),
  text('asset'),
  decimal('quantity'),
  word('category'),
  text('memo'),
  decimal('price_usd'),
  text('counterparty'),
  text('validator'),
  word('validator_country'),
  word('methodology_version'),
  word('address'),
  decimal('basis_unknown_quantity'),
  decimal('proceeds_usd'),
  word('acquired'),
  word('term'),
  text('tx_memo'),
];

/** With a time zone, each line also has its day. */
const DATED_FIELDS = [...LINE_FIELDS, word('date')];

const writeLine = jsonWriter(LINE_FIELDS);
const writeDatedLine = jsonWriter(DATED_FIELDS);

const fieldsOfLines = ({ timezone }: ValidParameters) => (timezone === undefined ? LINE_FIELDS : DATED_FIELDS);

function* listedLines(stated: Stated, dataset: Dataset): Generator<JournalLine, void, undefined> {
  const context: JournalContext = {
    rules: dataset.reference.rules,
    methodologyVersion: dataset.manifest.methodology_version,
    countryOf: dataset.reference.countryOf,
  };
  for (const entry of entriesOfRange(stated, dataset)) yield* journalLines(entry, context);
}
