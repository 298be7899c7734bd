/** Formats /journal as Form 8949: JSON with totals by box, CSV for tax programs, or a PDF. */
import { toJson } from '../../../../../pipeline/base/json/exact-json.js';
import { refundsOf } from '../../../../../pipeline/books/ledger/refunds.js';
import { jsonWriter } from '../../../../../pipeline/books/reports/field.js';
import {
  CSV_COLUMNS,
  FORM_FIELDS,
  type FormRow,
  FormTotals,
  formRows,
  sumSmallRows,
} from '../../../../../pipeline/books/reports/form8949/form-rows.js';
import { termsOf } from '../../../../../pipeline/books/terms.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { type Stated, walletEvents, walletReplay } from '../../../dataset/wallet-ledger.js';
import { refusal } from '../../../parameters/faults.js';
import { daysOf, isInRange } from '../../../parameters/time-range.js';
import { CSV_TYPE, csvChunks, fileNameOf, withMark } from '../../csv.js';
import { listAnswer, listTail } from '../../json.js';

export const FORM_8949 = {
  profile: 'form8949',
  description:
    'Form 8949, one row a slice of a lot, boxes I and L; what has no known basis or price is listed apart. ' +
    'The table begins with a byte order mark, for Excel. format=json has totals by box, format=pdf the form’s rows.',
  howTo: 'Attach the rows to your return, or enter the totals of each box on Form 8949 and Schedule D.',
};

const writeRow = jsonWriter(FORM_FIELDS);

export async function formAnswer(stated: Stated, dataset: Dataset): Promise<Answer> {
  const { addresses, range, format, fees } = stated;
  const span = daysOf(stated, dataset);
  const coverage = dataset.coverageOf(range, addresses);
  const fileName = fileNameOf('form8949', addresses, span, format);
  const formRows = () => {
    const rows = rowsOfRange(stated, dataset);
    return fees === 'each' ? rows : sumSmallRows(rows, fees);
  };
  if (format === 'csv')
    return { chunks: withMark(csvChunks(CSV_COLUMNS, formRows())), type: CSV_TYPE, fileName, coverage };
  const totals = new FormTotals();
  if (format === 'json') {
    return listAnswer({
      rows: formRows,
      note: (row) => totals.add(row),
      head: () =>
        `{"count":${totals.rows},"sales":${totals.sales},"totals":${toJson(totals.lines())},"coverage":${toJson(coverage)},"rows":[`,
      write: writeRow,
      tail: listTail(stated),
    });
  }
  const { formPdf, PDF_ROWS_MAX, printedRows } = await import('./form-pdf.js'); // imported only when needed, because loading pdf-lib takes 250 ms
  const rows = printedRows(formRows(), totals);
  if (rows.length > PDF_ROWS_MAX) {
    const message = `a PDF has at most ${PDF_ROWS_MAX} rows, and these are ${totals.rows}: ask for fewer days, or for CSV`;
    throw refusal(stated.source, [{ name: 'format_csv_first', path: '', message }]);
  }
  const { methodology_version: methodologyVersion } = dataset.manifest;
  const incomplete = dataset.incompleteWallets(addresses);
  const { usReturn } = dataset.reference;
  const heading = {
    addresses,
    days: span,
    coverage,
    incomplete,
    methodologyVersion,
    terms: termsOf(stated),
    usReturn,
    fees,
  };
  const content = { heading, rows, totals, made: new Date(dataset.time) };
  return { bytes: await formPdf(content), type: 'application/pdf', fileName, coverage };
}

/** Yields the disposals of the requested period. Takes refunds into account even if they come in another year. */
function* rowsOfRange(stated: Stated, dataset: Dataset): Generator<FormRow, void, undefined> {
  const { addresses, range, decisions } = stated;
  const { rules } = dataset.reference;
  for (const address of addresses) {
    const refunds = refundsOf(walletEvents(dataset, address), decisions, rules);
    for (const entry of walletReplay(dataset, address, stated)) {
      if (entry.time > range.to) break;
      if (isInRange(entry.time, range)) yield* formRows(entry, refunds, rules);
    }
  }
}
