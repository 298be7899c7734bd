/** Prints the lots of coins that went to own places, with sums by coin and receiver. */
import { formatCents, formatDecimal, parseDecimal } from '../../../pipeline/base/values/amount.js';
import type { Rules } from '../../../pipeline/books/ledger/rules.js';
import { sentences, type Terms, USUAL } from '../../../pipeline/books/terms.js';
import type { Coverage } from '../../../schemas/types.generated.js';
import {
  addWallets,
  type Column,
  grouped,
  LANDSCAPE,
  LINE,
  MARGIN,
  Paper,
  printedDay,
  printedGaps,
  printedName,
} from './paper.js';

/** Maximum number of lots, which fill about two hundred pages. */
export const PDF_LOTS_MAX = 4_000;

/** A lot, or a part of a lot, that a send took to an own place. */
export interface TransferredLine {
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

export interface TransferredContent {
  readonly addresses: readonly string[];
  readonly days: readonly [string, string];
  readonly lines: readonly TransferredLine[];
  readonly coverage: Coverage;
  /** Wallets whose rows are not proved to be complete. */
  readonly incomplete: readonly string[];
  readonly methodologyVersion: string;
  readonly terms: Terms;
  readonly rules: Rules;
  readonly made: Date;
}

export async function transferredPdf(content: TransferredContent): Promise<Uint8Array> {
  const { addresses, lines, coverage, made } = content;
  const wallets = addresses.length === 1 ? addresses[0] : `${addresses.length} wallets`;
  const paper = await Paper.create({ title: `${titleOf(content)}: ${wallets}`, made, size: LANDSCAPE });
  paper.addPage();
  addHeading(paper, content);
  if (lines.length > 0) {
    addTotals(paper, content);
    addSends(paper, content);
  }
  if (addresses.length > 1) addWallets(paper, addresses);
  return paper.save(`hubledger · dataset ${coverage.generation} · records for tax preparation, not tax advice`);
}

const SEVERAL = 'several receivers';
const receiverOf = ({ receiver }: TransferredLine) => receiver ?? SEVERAL;

function titleOf({ lines }: TransferredContent): string {
  const receivers = new Set(lines.map(receiverOf));
  const to =
    receivers.size === 1 ? [...receivers][0] : receivers.size === 0 ? 'own places' : `${receivers.size} own places`;
  return `Cost of coins that you moved to ${to}`;
}

function addHeading(paper: Paper, content: TransferredContent): void {
  const { addresses, days, lines, coverage, incomplete, terms, methodologyVersion } = content;
  const width = paper.rightEdge - MARGIN;
  const title = titleOf(content);
  paper.down(8);
  paper.write(title, MARGIN, { size: paper.fitted(title, width, 15), bold: true });
  paper.down(18);
  const wallets = addresses.length === 1 ? addresses[0] : `${addresses.length} wallets, which are listed at the end`;
  paper.paragraph(`${wallets} · ${days.map(printedDay).join(' – ')}`, MARGIN, width);
  const { covered_from: from, covered_to: to } = coverage;
  const lackingDays =
    from && to
      ? `Not every day is recorded: only ${printedDay(from)} to ${printedDay(to)}. Sends of other days are missing here.`
      : 'These days are not recorded: every send is missing here.';
  const gaps = printedGaps(coverage, days, lackingDays, incomplete);
  if (gaps !== '') paper.paragraph(gaps, MARGIN, width, { bold: true });
  const { lots, days: zone, whatIf } = sentences(terms);
  const notes = [
    'The sends are those with the tag own_transfer and IBC transfers to your own key, without refunded sends.',
    `Costs are in ${USUAL.currency.words}, from the published prices of UTC days (methodology ${methodologyVersion}).`,
    ...[lots, zone, whatIf].filter((note) => note !== ''),
    'What has no known cost never counts as zero. Coins without a day of acquisition are from before the records, or have no lot.',
    'These are records for tax preparation, not tax advice.',
  ];
  paper.paragraph(notes.join(' '), MARGIN, width, { size: 7.5, soft: true });
  paper.down(LINE);
  if (lines.length > 0) return;
  paper.write(from ? 'No sends to own places.' : 'Not recorded.', MARGIN, { size: 10, bold: true });
  paper.down(2 * LINE);
}

const NOT_KNOWN = 'not known';

interface Total {
  readonly first: TransferredLine;
  readonly sends: Set<string>;
  readonly decimals: number;
  lots: number;
  quantity: bigint;
  returned: bigint;
  /** Cents of the lots whose cost is known. */
  cost: bigint;
  unknown: number;
}

/** Sums lines by coin and receiver. */
function totalsOf({ lines, rules }: TransferredContent): Total[] {
  const totals = new Map<string, Total>();
  for (const line of lines) {
    const key = `${line.denom} ${receiverOf(line)}`;
    const { decimals } = rules.denomination(line.denom);
    const empty = { lots: 0, quantity: 0n, returned: 0n, cost: 0n, unknown: 0 };
    const total = totals.get(key) ?? { first: line, sends: new Set<string>(), decimals, ...empty };
    totals.set(key, total);
    total.sends.add(line.row);
    total.lots++;
    total.quantity += parseDecimal(line.quantity, decimals);
    total.returned += parseDecimal(line.returned, decimals);
    if (line.cost_basis_usd === null) total.unknown++;
    else total.cost += parseDecimal(line.cost_basis_usd, 2);
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

const TOTAL_COLUMNS: readonly Column[] = [
  { name: 'Coin', x: MARGIN, width: 75 },
  { name: 'Receiver', x: 115, width: 235 },
  { name: 'Sends', x: 395, width: 40, right: true },
  { name: 'Quantity', x: 505, width: 105, right: true },
  { name: `Known cost, ${USUAL.currency.code}`, x: 590, width: 80, right: true },
  { name: 'Lots of unknown cost', x: 680, width: 86, right: true },
  { name: 'Come home', x: 756, width: 72, right: true },
];

function addTotals(paper: Paper, content: TransferredContent): void {
  paper.heading('Totals by coin and receiver');
  const rows = totalsOf(content).map(({ first, sends, decimals, lots, quantity, returned, cost, unknown }) => [
    printedName(first.symbol),
    receiverOf(first),
    grouped(String(sends.size)),
    grouped(formatDecimal(quantity, decimals)),
    unknown === lots ? NOT_KNOWN : grouped(formatCents(cost)),
    unknown === 0 ? 'none' : `${grouped(String(unknown))} of ${grouped(String(lots))}`,
    grouped(formatDecimal(returned, decimals)),
  ]);
  paper.table(TOTAL_COLUMNS, rows);
  paper.down(LINE);
}

const LOT_COLUMNS: readonly Column[] = [
  { name: 'Sent', x: MARGIN, width: 60 },
  { name: 'Transaction', x: 98, width: 172, wraps: true },
  { name: 'Receiver', x: 276, width: 164, wraps: true },
  { name: 'Quantity', x: 540, width: 96, right: true },
  { name: 'Coin', x: 546, width: 54 },
  { name: 'Acquired', x: 604, width: 54 },
  { name: `Cost, ${USUAL.currency.code}`, x: 704, width: 44, right: true },
  { name: 'Come home', x: 756, width: 48, right: true },
];

/** Adds the lots of each wallet. Day, transaction and receiver are only in the first line of a send. */
function addSends(paper: Paper, { addresses, lines }: TransferredContent): void {
  for (const address of addresses) {
    const ofWallet = lines.filter((line) => line.address === address);
    if (ofWallet.length === 0) continue;
    paper.need(6 * LINE);
    paper.heading(addresses.length === 1 ? 'Lots of each send' : `Lots of each send from ${address}`);
    const rows = ofWallet.map((line, i) => {
      const isFirst = ofWallet[i - 1]?.row !== line.row;
      return [
        ...(isFirst ? [printedDay(line.date), line.tx_hash, receiverOf(line)] : ['', '', '']),
        grouped(line.quantity),
        printedName(line.symbol),
        line.acquired === null ? NOT_KNOWN : printedDay(line.acquired),
        line.cost_basis_usd === null ? NOT_KNOWN : grouped(line.cost_basis_usd),
        grouped(line.returned),
      ];
    });
    paper.table(LOT_COLUMNS, rows);
    paper.down(LINE);
  }
}
