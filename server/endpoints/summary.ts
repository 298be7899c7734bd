import { zoneNamed } from '../../pipeline/base/values/zones.js';
import { decide } from '../../pipeline/books/ledger/decided-row.js';
import { refundsOf } from '../../pipeline/books/ledger/refunds.js';
import { eventRow } from '../../pipeline/books/reports/event-row.js';
import { openHoldings } from '../../pipeline/books/reports/positions.js';
import {
  type IncomeMonth,
  type OwnTransferLine,
  ownTransferLines,
  Sheet,
  type SheetLines,
  summaryTable,
  TABLE_FIELDS,
  type TableLine,
  type WalletSheet,
} from '../../pipeline/books/reports/summary/sheet.js';
import { carriesLots, sentences, termsOf } from '../../pipeline/books/terms.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import {
  ownTransfersOf,
  periodLedger,
  type Stated,
  uncarriedTransfers,
  walletEvents,
} from '../tax/dataset/wallet-ledger.js';
import { csvAnswer, fileNameOf } from '../tax/formats/csv.js';
import { STATEMENTS } from '../tax/parameters/parameter-schemas.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf, indexDays, upTo } from '../tax/parameters/time-range.js';

export const summary = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/summary',
  summary: 'A year of one or more wallets on one sheet: income, disposals, gains, fees, holdings, and open questions.',
  description:
    'Sums over the lines of /journal, the rows of /events and the lots of /positions, per wallet and in total; it matches them ' +
    'to the cent. The replay always covers a wallet’s whole history up to the end.',
  parameters: ['address', 'chain', 'timezone', 'start_day', 'end_day', 'year', ...STATEMENTS, 'format_with_pdf', 'bom'],
  post: true,
  response: 'summary',
  csv: true,
  profileTypes: ['application/pdf'],
  policy: 'tax',
  replayed: true,
  // Decisions about rows before the period also apply, because they change the lots that are sold in the period.
  decisions: { period: ({ range }) => upTo(range.to), saved: true, undecided: 'refused' },
  isExpensive: ({ format }) => format === 'pdf',
  handle({ parameters, dataset }): Answer | Promise<Answer> {
    const content = contentOf(parameters, dataset);
    if (parameters.format === 'json') return { json: jsonOf(content, parameters, dataset) };
    if (parameters.format === 'pdf') return pdfOf(content, parameters, dataset);
    const fileName = fileNameOf('summary', parameters.addresses, content.days);
    const coverage = dataset.coverageOf(parameters.range, parameters.addresses);
    return csvAnswer(TABLE_FIELDS, tableOf(content, dataset), { fileName, coverage });
  },
} satisfies Endpoint;

const ALL = 'all';

interface Content {
  readonly days: readonly [string, string];
  readonly total: SheetLines;
  readonly wallets: readonly WalletSheet[];
  readonly transfers: readonly OwnTransferLine[];
  readonly months: readonly IncomeMonth[];
}

function contentOf(parameters: ValidParameters, dataset: Dataset): Content {
  const { addresses } = parameters;
  const { rules } = dataset.reference;
  const zone = zoneNamed(parameters.timezone);
  const statements = { ...parameters, ownTransfers: ownTransfersOf(parameters, dataset) };
  const days = daysOf(parameters, dataset);
  const closingDay = dayOfIndex(days[1], indexDays(dataset, zone));
  const scope = { days, closingDay, timezone: parameters.timezone };
  const total = new Sheet(rules, zone);
  const wallets: WalletSheet[] = [];
  for (const address of addresses) {
    // With only one wallet, the wallet's sheet is also the total.
    const sheet = addresses.length === 1 ? total : new Sheet(rules, zone);
    fill(new Set([sheet, total]), address, statements, dataset);
    wallets.push({ address, sheet: sheet.lines({ addresses: [address], ...scope }) });
  }
  const transfers = ownTransferLines(uncarriedTransfers(parameters, dataset), rules, zone);
  const months = total.incomeByMonth;
  return { days, total: total.lines({ addresses, ...scope }), wallets, transfers, months };
}

/** Returns a day inside the index: the given day or, if it is outside the index, the nearest day. */
const dayOfIndex = (day: string, { first, last }: ReturnType<typeof indexDays>) =>
  day < first ? first : day > last ? last : day;

function jsonOf({ days, total, wallets, transfers }: Content, parameters: ValidParameters, dataset: Dataset): unknown {
  const { addresses, range } = parameters;
  return {
    ...{ addresses, start: days[0], end: days[1] },
    ...basisOf(dataset),
    recognition_policy: dataset.reference.recognitionPolicy.policy,
    note: [noteOf(parameters), ...refundNotes(total), ...termNotes(parameters)].join(' '),
    coverage: dataset.coverageOf(range, addresses),
    total: { address: ALL, ...total },
    wallets: wallets.map(({ address, sheet }) => ({ address, ...sheet })),
    own_transfers: transfers,
  };
}

async function pdfOf({ days, total, months }: Content, parameters: ValidParameters, dataset: Dataset): Promise<Answer> {
  const { addresses, range } = parameters;
  const { usReturn, rules, recognitionPolicy } = dataset.reference;
  const coverage = dataset.coverageOf(range, addresses);
  const { summaryPdf } = await import('../tax/formats/summary-pdf.js'); // imported only when needed, because loading pdf-lib takes 250 ms
  const bytes = await summaryPdf({
    ...{ addresses, days, total, months, coverage, usReturn, rules },
    incomplete: dataset.incompleteWallets(addresses),
    methodologyVersion: dataset.manifest.methodology_version,
    terms: termsOf(parameters),
    recognitionPolicy: recognitionPolicy.policy,
    made: new Date(dataset.time),
  });
  return { bytes, type: 'application/pdf', fileName: fileNameOf('summary', addresses, days, 'pdf'), coverage };
}

const noteOf = (parameters: ValidParameters): string =>
  `${carriesLots(parameters) ? 'Transfers between these wallets carry their lots along' : 'Every wallet keeps its own lots'}; ${NOTE}`;

const NOTE =
  'totals are sums of the wallets. Refunded payments are not in the sums. What has no ' +
  'price or no known basis is empty or in a figure of its own, never zero. Links name wallets and days: add tags, decisions, ' +
  'opening lots, method and own_wallets as you sent them. own_transfers lists payments between the wallets asked for: where all of them ' +
  'are yours, own_wallets=carry moves their lots with basis and date.';

/**
 * Explains differences between gains in the journal and in the summary. They arise if a payment and its refund are in
 * different periods.
 */
function refundNotes({ refunds_across: lines }: SheetLines): string[] {
  const count = (kind: string) => lines.reduce((sum, line) => (line.kind === kind ? sum + line.count : sum), 0);
  const [later, earlier] = [count('refunded_later'), count('paid_earlier')];
  if (later + earlier === 0) return [];
  return [
    `Payments of this period that were refunded after it: ${later}. Refunds of this period for earlier payments: ${earlier}. ` +
      'No Form 8949 and no importer file of any year has them. The journal books each on its own day: refunds_across lists them.',
  ];
}

/** Names the terms that are not the usual ones. */
function termNotes(parameters: ValidParameters): string[] {
  const { lots, days, whatIf } = sentences(termsOf(parameters));
  return [...(days === '' ? [] : [days]), ...(whatIf === '' ? [] : [lots, whatIf])];
}

/** Returns the versions and the dataset that the amounts come from. */
const basisOf = ({ manifest, generation }: Dataset) => ({
  methodology_version: manifest.methodology_version,
  classification_version: manifest.classifier_version,
  generation,
});

function fill(sheets: Iterable<Sheet>, address: string, statements: Stated, dataset: Dataset): void {
  const { decisions, range } = statements;
  const toAll = (act: (sheet: Sheet) => void) => {
    for (const sheet of sheets) act(sheet);
  };
  const note = (event: PricedEvent) => {
    const decided = decide(event, decisions, dataset.reference.rules);
    const row = eventRow(decided, dataset.rowContext, (receipt) => wallet.income.valueOf(receipt));
    toAll((sheet) => sheet.note(row));
  };
  const refunds = refundsOf(walletEvents(dataset, address), decisions, dataset.reference.rules);
  const { wallet, before, within } = periodLedger(dataset, address, statements, range, note);
  for (const entry of before) toAll((sheet) => sheet.remember(entry, refunds));
  const opening = openHoldings(wallet);
  const undecided = dataset.flagged(address).filter(({ record_id }) => !decisions.assets.has(record_id)).length;
  toAll((sheet) => sheet.open(opening, undecided));
  for (const entry of within) toAll((sheet) => sheet.add(entry, refunds));
  const closing = openHoldings(wallet);
  toAll((sheet) => sheet.close(closing));
}

function tableOf({ total, wallets, transfers }: Content, dataset: Dataset): Iterable<TableLine> {
  const basis = { address: ALL, section: 'basis', ...basisOf(dataset) };
  return summaryTable(basis, [{ address: ALL, sheet: total }, ...wallets], transfers);
}
