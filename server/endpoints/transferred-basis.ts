import { formatCents, formatDecimal } from '../../pipeline/base/values/amount.js';
import { zoneNamed } from '../../pipeline/base/values/zones.js';
import type { AwaySend } from '../../pipeline/books/ledger/away.js';
import { isOpening } from '../../pipeline/books/ledger/opening-coins.js';
import { type EntrySlice, measure } from '../../pipeline/books/ledger/slices.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import { termsOf } from '../../pipeline/books/terms.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { type Stated, sendsAway } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import type { TransferredLine } from '../tax/formats/transferred-basis-pdf.js';
import { refusal } from '../tax/parameters/faults.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf, isInRange, upTo } from '../tax/parameters/time-range.js';

export const transferredBasis = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/transferred-basis',
  summary: 'Cost and acquisition days of the coins that were sent to own places, such as an exchange.',
  description:
    'One line for each lot of each send with the tag own_transfer, and of each IBC transfer to the sender’s own key, ' +
    'without refunded sends. returned is the part that has come home since, by asset_decisions with mode return.',
  parameters: ['address', 'chain', 'timezone', 'start_day', 'end_day', 'year', ...STATEMENTS, 'format_with_pdf', 'bom'],
  post: true,
  response: 'transferred-basis',
  csv: true,
  profileTypes: ['application/pdf'],
  policy: 'tax',
  replayed: true,
  decisions: { period: ({ range }) => upTo(range.to), saved: true, undecided: 'refused' },
  isExpensive: ({ format }) => format === 'pdf',
  handle({ parameters, dataset }): Answer | Promise<Answer> {
    const { addresses, range, format } = parameters;
    const lines = linesOf(parameters, dataset);
    const coverage = dataset.coverageOf(range, addresses);
    if (format === 'json') return { json: { lines, coverage } };
    if (format === 'pdf') return pdfOf(lines, parameters, dataset);
    const fileName = fileNameOf('transferred-basis', addresses, daysOf(parameters, dataset));
    return csvAnswer(LINE_FIELDS, lines, { fileName, coverage });
  },
} satisfies Endpoint;

async function pdfOf(
  lines: readonly TransferredLine[],
  parameters: ValidParameters,
  dataset: Dataset,
): Promise<Answer> {
  const { addresses, range, source } = parameters;
  const { PDF_LOTS_MAX, transferredPdf } = await import('../tax/formats/transferred-basis-pdf.js'); // imported only when needed, because loading pdf-lib takes 250 ms
  if (lines.length > PDF_LOTS_MAX) {
    const message = `a PDF has at most ${PDF_LOTS_MAX} lots, and these are ${lines.length}: ask for fewer days, or for CSV`;
    throw refusal(source, [{ name: 'format_with_pdf', path: '', message }]);
  }
  const days = daysOf(parameters, dataset);
  const coverage = dataset.coverageOf(range, addresses);
  const bytes = await transferredPdf({
    ...{ addresses, days, lines, coverage, rules: dataset.reference.rules, terms: termsOf(parameters) },
    incomplete: dataset.incompleteWallets(addresses),
    methodologyVersion: dataset.manifest.methodology_version,
    made: new Date(dataset.time),
  });
  const fileName = fileNameOf('transferred-basis', addresses, days, 'pdf');
  return { bytes, type: 'application/pdf', fileName, coverage };
}

const { text, word, decimal } = fieldsOf<TransferredLine>();

const LINE_FIELDS = [
  word('address'),
  word('row'),
  word('date'),
  word('tx_hash'),
  text('receiver', ({ receiver }) => receiver ?? ''),
  text('symbol'),
  text('denom'),
  decimal('quantity'),
  word('acquired', ({ acquired }) => acquired ?? ''),
  decimal('cost_basis_usd', ({ cost_basis_usd }) => cost_basis_usd ?? ''),
  decimal('returned'),
];

function linesOf(parameters: Stated, dataset: Dataset): TransferredLine[] {
  const { range, timezone } = parameters;
  const { rules } = dataset.reference;
  const zone = zoneNamed(timezone);
  const sends = sendsAway(parameters, dataset).filter(({ row }) => isInRange(row.time, range));
  return sends.flatMap(({ row, taken, home }) => {
    const denom = row.sent_denom!;
    const { symbol, decimals } = rules.denomination(denom);
    const send = {
      ...{ address: row.address, row: row.id, date: zone.dayOf(row.time), tx_hash: row.tx_hash },
      ...{ receiver: row.counterparty, symbol, denom },
    };
    return returnedParts(taken, row.sent_amount!, home).map(({ slice, returned }) => ({
      ...send,
      quantity: formatDecimal(slice.quantity, decimals),
      acquired: slice.acquired === null || isOpening({ acquired: slice.acquired }) ? null : slice.acquired,
      cost_basis_usd: slice.basis === null ? null : formatCents(slice.basis),
      returned: formatDecimal(returned, decimals),
    }));
  });
}

/** Returns the lots of a send, and what of each has come home: the first `home` base units. */
function returnedParts(taken: AwaySend['taken'], quantity: bigint, home: bigint) {
  let left = home;
  return measure(taken, quantity, null).slices.map((slice: EntrySlice) => {
    const returned = left < slice.quantity ? left : slice.quantity;
    left -= returned;
    return { slice, returned };
  });
}
