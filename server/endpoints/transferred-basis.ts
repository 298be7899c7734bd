import { formatCents, formatDecimal } from '../../pipeline/base/values/amount.js';
import { zoneNamed } from '../../pipeline/base/values/zones.js';
import type { AwaySend } from '../../pipeline/books/ledger/away.js';
import { isOpening } from '../../pipeline/books/ledger/opening-coins.js';
import { type EntrySlice, measure } from '../../pipeline/books/ledger/slices.js';
import { fieldsOf } from '../../pipeline/books/reports/field.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { type Stated, sendsAway } from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import { daysOf, isInRange, upTo } from '../tax/parameters/time-range.js';

export const transferredBasis = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/transferred-basis',
  summary: 'Cost and acquisition days of the coins that were sent to own places, such as an exchange.',
  description:
    'One line for each lot of each send with the tag own_transfer, and of each IBC transfer to the sender’s own key, ' +
    'without refunded sends. returned is the part that has come home since, by asset_decisions with mode return.',
  parameters: ['address', 'chain', 'timezone', 'start_day', 'end_day', 'year', ...STATEMENTS, 'format', 'bom'],
  post: true,
  response: 'transferred-basis',
  csv: true,
  policy: 'tax',
  replayed: true,
  decisions: { period: ({ range }) => upTo(range.to), saved: true, undecided: 'refused' },
  handle({ parameters, dataset }): Answer {
    const { addresses, range, format } = parameters;
    const lines = linesOf(parameters, dataset);
    const coverage = dataset.coverageOf(range, addresses);
    if (format !== 'csv') return { json: { lines, coverage } };
    const fileName = fileNameOf('transferred-basis', addresses, daysOf(parameters, dataset));
    return csvAnswer(LINE_FIELDS, lines, { fileName, coverage });
  },
} satisfies Endpoint;

/** A lot, or a part of a lot, that a send took to an own place. */
interface TransferredLine {
  readonly address: string;
  /** Id of the row in /events. */
  readonly row: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly tx_hash: string;
  readonly receiver: string | null;
  readonly symbol: string;
  readonly denom: string;
  readonly quantity: string;
  readonly acquired: string | null;
  readonly cost_basis_usd: string | null;
  readonly returned: string;
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
