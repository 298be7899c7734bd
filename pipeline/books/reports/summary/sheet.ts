/** Sums a wallet's period for a tax return: income, disposals, holdings, accounts and open questions. */
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { formatCents, formatDecimal } from '../../../base/values/amount.js';
import type { Zone } from '../../../base/values/zones.js';
import type { Entry } from '../../ledger/entry.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { creditedUnknown } from '../../ledger/slices.js';
import { assetAccount } from '../../ledger/wallet.js';
import type { EventRow } from '../event-row.js';
import type { Field, FieldKind } from '../field.js';
import type { OpenHolding } from '../positions.js';
import {
  type DisposalFigures,
  type DisposalLine,
  Groups,
  Outflows,
  type RefundLine,
  type ReliefLine,
} from './outflows.js';

/**
 * One line per asset. Opening values are those of /positions on the day before the period. Closing values are those of
 * /positions on its last day.
 */
interface AssetLine {
  readonly asset: string;
  readonly denom: string;
  readonly opening_quantity: string;
  readonly opening_basis_unknown_quantity: string;
  readonly opening_before_index_quantity: string;
  readonly opening_cost_usd: string;
  readonly in_quantity: string;
  readonly in_basis_unknown_quantity: string;
  readonly in_cost_usd: string;
  readonly out_quantity: string;
  readonly out_basis_unknown_quantity: string;
  readonly out_cost_usd: string;
  /** Quantity that left the wallet although it had neither lots nor opening coins. */
  readonly no_lot_quantity: string;
  readonly closing_quantity: string;
  readonly closing_basis_unknown_quantity: string;
  readonly closing_before_index_quantity: string;
  readonly closing_cost_usd: string;
}

interface Amount {
  quantity: bigint;
  unknown: bigint;
  beforeIndex: bigint;
  cost: bigint;
}

const none = (): Amount => ({ quantity: 0n, unknown: 0n, beforeIndex: 0n, cost: 0n });

class Assets {
  private readonly assets = new Groups<
    { asset: string; denom: string },
    { opening: Amount; in: Amount; out: Amount; closing: Amount }
  >(() => ({ opening: none(), in: none(), out: none(), closing: none() }));

  addHoldings(moment: 'opening' | 'closing', held: readonly OpenHolding[]): void {
    for (const { holding, open } of held) {
      if (open.quantity === 0n && open.opening === 0n) continue;
      const amount = this.assets.of({ asset: holding.symbol, denom: holding.denom })[moment];
      move(amount, open.quantity, open.unknown, open.cost);
      amount.beforeIndex += open.opening;
    }
  }

  add(entry: Entry): void {
    if (entry.act === 'open') return;
    const { asset, denom, basis_unknown_quantity: unknown } = entry;
    if (entry.debit_account === assetAccount(asset))
      move(this.assets.of({ asset, denom }).in, entry.quantity, unknown, entry.amount);
    const credited = entry.credit_asset ?? asset;
    if (entry.credit_account !== assetAccount(credited)) return;
    const group = this.assets.of({ asset: credited, denom: entry.credit_denom ?? denom });
    move(group.out, entry.credit_quantity ?? entry.quantity, creditedUnknown(entry), entry.amount);
  }

  get unknownAtClose(): number {
    return this.assets.list().filter(({ closing }) => closing.unknown > 0n || closing.beforeIndex > 0n).length;
  }

  lines(rules: Rules): AssetLine[] {
    return this.assets.list().map(({ asset, denom, opening, in: incoming, out, closing }) => {
      const shown = (units: bigint) => formatDecimal(units, rules.denomination(denom).decimals);
      return {
        ...{ asset, denom },
        opening_quantity: shown(opening.quantity),
        opening_basis_unknown_quantity: shown(opening.unknown),
        opening_before_index_quantity: shown(opening.beforeIndex),
        opening_cost_usd: costOf(opening),
        in_quantity: shown(incoming.quantity),
        in_basis_unknown_quantity: shown(incoming.unknown),
        in_cost_usd: costOf(incoming),
        out_quantity: shown(out.quantity),
        out_basis_unknown_quantity: shown(out.unknown),
        out_cost_usd: costOf(out),
        no_lot_quantity: shown(held(closing) + out.quantity - held(opening) - incoming.quantity),
        closing_quantity: shown(closing.quantity),
        closing_basis_unknown_quantity: shown(closing.unknown),
        closing_before_index_quantity: shown(closing.beforeIndex),
        closing_cost_usd: costOf(closing),
      };
    });
  }
}

const held = ({ quantity, beforeIndex }: Amount) => quantity + beforeIndex;

function move(amount: Amount, quantity: bigint | null, unknown: bigint | null, cost: bigint): void {
  amount.quantity += quantity ?? 0n;
  amount.unknown += unknown ?? 0n;
  amount.cost += cost;
}

/** Returns the cost of coins with known basis; '' if there are none. */
const costOf = ({ quantity, unknown, cost }: Amount) => (quantity === unknown && cost === 0n ? '' : formatCents(cost));

interface CarriedLine {
  readonly asset: string;
  readonly denom: string;
  readonly in_quantity: string;
  readonly in_cost_usd: string;
  readonly out_quantity: string;
  readonly out_cost_usd: string;
}

/** Sums lots that move between wallets of the request (own_wallets=carry). Over all wallets, lots in equal lots out. */
class Carried {
  private readonly assets = new Groups<
    { asset: string; denom: string },
    { in: { quantity: bigint; cost: bigint }; out: { quantity: bigint; cost: bigint } }
  >(() => ({ in: { quantity: 0n, cost: 0n }, out: { quantity: 0n, cost: 0n } }));

  add({ act, asset, denom, debit_account, quantity, amount }: Entry): void {
    if (act !== 'carry') return;
    const moved = this.assets.of({ asset, denom })[debit_account === assetAccount(asset) ? 'in' : 'out'];
    moved.quantity += quantity ?? 0n;
    moved.cost += amount;
  }

  lines(rules: Rules): CarriedLine[] {
    return this.assets.list().map(({ asset, denom, in: incoming, out }) => {
      const { decimals } = rules.denomination(denom);
      return {
        ...{ asset, denom },
        in_quantity: formatDecimal(incoming.quantity, decimals),
        in_cost_usd: formatCents(incoming.cost),
        out_quantity: formatDecimal(out.quantity, decimals),
        out_cost_usd: formatCents(out.cost),
      };
    });
  }
}

export interface SheetLines {
  readonly rows: number;
  readonly taxable_rows: number;
  readonly income_usd: string;
  readonly fees_usd: string;
  /** Totals of `disposals`. Network fees are also disposals. */
  readonly disposed: DisposalFigures;
  /** Ids of disposals of the period that are no sales, because a refund reversed them. */
  readonly refunded_rows: readonly string[];
  readonly income: readonly IncomeLine[];
  readonly disposals: readonly DisposalLine[];
  readonly reliefs: readonly ReliefLine[];
  readonly refunds_across: readonly RefundLine[];
  readonly carried: readonly CarriedLine[];
  readonly assets: readonly AssetLine[];
  readonly accounts: readonly AccountLine[];
  readonly open: readonly QuestionLine[];
}

export class Sheet {
  private rows = 0;
  private taxable = 0;
  private readonly income = new Income();
  private readonly carried = new Carried();
  private readonly assets = new Assets();
  private readonly accounts = new Accounts();
  private readonly questions = new OpenQuestions();
  private readonly outflows: Outflows;

  constructor(
    private readonly rules: Rules,
    private readonly zone: Zone,
  ) {
    this.outflows = new Outflows(rules);
  }

  open(held: readonly OpenHolding[], undecided: number): void {
    this.assets.addHoldings('opening', held);
    this.questions.addUndecided(undecided);
  }

  note(row: EventRow): void {
    this.rows++;
    if (row.taxable) this.taxable++;
    this.income.note(row, this.zone);
    this.questions.note(row);
  }

  /** @param refunds pairs of payments and refunds in the entry's wallet */
  remember(entry: Entry, refunds: Refunds): void {
    this.outflows.remember(entry, refunds);
  }

  add(entry: Entry, refunds: Refunds): void {
    this.accounts.add(entry);
    this.income.add(entry);
    this.carried.add(entry);
    this.assets.add(entry);
    if (!refunds.isRefunded(entry.event_id)) this.questions.add(entry);
    this.outflows.add(entry, refunds);
  }

  close(held: readonly OpenHolding[]): void {
    this.assets.addHoldings('closing', held);
  }

  get incomeByMonth(): readonly IncomeMonth[] {
    return this.income.byMonth;
  }

  lines(scope: Scope): SheetLines {
    const { rules } = this;
    return {
      rows: this.rows,
      taxable_rows: this.taxable,
      income_usd: this.income.total,
      fees_usd: this.outflows.feeTotal(),
      disposed: this.outflows.disposed(),
      refunded_rows: this.outflows.refundedRows,
      income: this.income.lines(rules),
      disposals: this.outflows.disposalLines(),
      reliefs: this.outflows.reliefLines(),
      refunds_across: this.outflows.refundLines(),
      carried: this.carried.lines(rules),
      assets: this.assets.lines(rules),
      accounts: this.accounts.lines(),
      open: this.questions.lines(this.assets.unknownAtClose, rules, scope),
    };
  }
}

export const INCOME = 'Income: ';

interface IncomeLine {
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  readonly without_price: number;
  readonly quantity: string;
  readonly income_usd: string;
}

/** Income of an account in a month. */
export interface IncomeMonth {
  readonly month: string;
  readonly account: string;
  cents: bigint;
  count: number;
  /** Number of receipts without a price. No total includes their value. */
  unpriced: number;
}

class Income {
  private readonly kinds = new Groups<
    { account: string; category: string; asset: string; denom: string },
    { count: number; unpriced: number; quantity: bigint; amount: bigint }
  >(() => ({ count: 0, unpriced: 0, quantity: 0n, amount: 0n }));
  private readonly months = new Groups<{ month: string; account: string }, Omit<IncomeMonth, 'month' | 'account'>>(
    () => ({ cents: 0n, count: 0, unpriced: 0 }),
  );
  private readonly sums = { count: 0, unpriced: 0, amount: 0n };

  add(entry: Entry): void {
    const { credit_account: account, category, asset, denom, quantity, amount, day } = entry;
    if (!account.startsWith(INCOME)) return;
    const kind = this.kinds.of({ account, category, asset, denom });
    const month = this.months.of({ month: day.slice(0, 7), account });
    kind.amount += amount;
    month.cents += amount;
    this.sums.amount += amount;
    // An entry without a quantity is the difference between a receipt's income and basis. The receipt has already been
    // counted.
    if (quantity === null) return;
    kind.count++;
    month.count++;
    this.sums.count++;
    kind.quantity += quantity;
  }

  /** Counts rows without a price. Reads rows instead of journal entries, because these show 0 for an unknown value. */
  note({ incomeAccount: account, priceMissing, category: { category }, event, rules }: EventRow, zone: Zone): void {
    if (account === undefined || !priceMissing) return;
    const denom = event.received_denom!;
    this.kinds.of({ account, category, asset: rules.denomination(denom).symbol, denom }).unpriced++;
    this.months.of({ month: zone.dayOf(event.time).slice(0, 7), account }).unpriced++;
    this.sums.unpriced++;
  }

  get byMonth(): readonly IncomeMonth[] {
    return this.months.list();
  }

  get total(): string {
    return incomeText(this.sums);
  }

  lines(rules: Rules): IncomeLine[] {
    return this.kinds.list().map(({ account, category, asset, denom, count, unpriced, quantity, amount }) => ({
      ...{ account, category, asset, denom, count, without_price: unpriced },
      quantity: formatDecimal(quantity, rules.denomination(denom).decimals),
      income_usd: incomeText({ count, unpriced, amount }),
    }));
  }
}

/** Formats an amount of income; '' if no receipt has a price. */
const incomeText = ({ count, unpriced, amount }: { count: number; unpriced: number; amount: bigint }) =>
  count > 0 && count === unpriced && amount === 0n ? '' : formatCents(amount);

interface AccountLine {
  readonly account: string;
  readonly debit_usd: string;
  readonly credit_usd: string;
}

/** Sums debits and credits of each account in the period (trial balance). */
class Accounts {
  private readonly accounts = new Groups<{ account: string }, { debit: bigint; credit: bigint }>(() => ({
    debit: 0n,
    credit: 0n,
  }));

  add({ debit_account, credit_account, amount }: Entry): void {
    this.accounts.of({ account: debit_account }).debit += amount;
    this.accounts.of({ account: credit_account }).credit += amount;
  }

  lines(): AccountLine[] {
    return this.accounts.list().map(({ account, debit, credit }) => ({
      account,
      debit_usd: formatCents(debit),
      credit_usd: formatCents(credit),
    }));
  }
}

type Question =
  | 'undecided_receipts'
  | 'receipts_of_unknown_basis'
  | 'assets_of_unknown_basis'
  | 'days_without_price'
  | 'rows_without_price'
  | 'unclassified_rows';

interface QuestionLine {
  readonly question: Question;
  /** Asset of the question; '' if the question is not about a single asset. */
  readonly asset: string;
  readonly denom: string;
  /** Number of receipts, assets, UTC days or rows, depending on the question. */
  readonly count: number;
  readonly link: string;
  /** Only for `rows_without_price`: the first rows, at most ROW_IDS_MAX. */
  readonly row_ids?: readonly string[];
}

const ROW_IDS_MAX = 200;

interface Scope {
  readonly addresses: readonly string[];
  readonly days: readonly [string, string];
  /** Last indexed day of the period. */
  readonly closingDay: string;
  /** Zone of the days, as the request names it. */
  readonly timezone?: string | undefined;
}

const UNCLASSIFIED = 'unclassified';

/** Counts the items that the taxpayer must still decide or look up in the period. Each question links to its rows. */
class OpenQuestions {
  private undecided = 0;
  private unclassified = 0;
  private unknownReceipts = 0;
  private readonly unpriced = new Groups<{ denom: string }, { days: Set<string> }>(() => ({ days: new Set() }));
  /** Rows of income and disposals whose amount depends on a missing price. */
  private readonly unvalued = new Groups<{ denom: string }, { rows: Set<string> }>(() => ({ rows: new Set() }));

  addUndecided(receipts: number): void {
    this.undecided += receipts;
  }

  note({ event, priceMissing, incomeAccount }: EventRow): void {
    if (event.category === UNCLASSIFIED) this.unclassified++;
    const denom = event.received_denom ?? event.sent_denom ?? event.fee_denom;
    if (!priceMissing || denom === null) return;
    this.unpriced.of({ denom }).days.add(event.time.slice(0, 10));
    if (incomeAccount !== undefined) this.unvalued.of({ denom }).rows.add(event.id);
  }

  add({ act, basis_unknown_quantity, proceeds, denom, event_id }: Entry): void {
    if (act === 'acquire' && (basis_unknown_quantity ?? 0n) > 0n) this.unknownReceipts++;
    if (act === 'dispose' && proceeds === null) this.unvalued.of({ denom }).rows.add(event_id);
  }

  /** @param unknownAssets number of assets whose closing holdings include coins of unknown basis */
  lines(unknownAssets: number, rules: Rules, scope: Scope): QuestionLine[] {
    const address = scope.addresses.join(',');
    const [start, end] = scope.days;
    const date = scope.closingDay;
    const zone = scope.timezone === undefined ? {} : { timezone: scope.timezone };
    const period = { address, start, end, ...zone };
    const line = (question: Question, count: number, link: string, asset = '', denom = ''): QuestionLine => {
      return { question, asset, denom, count, link };
    };
    return [
      line('undecided_receipts', this.undecided, linkTo('asset-review', { address })),
      line('receipts_of_unknown_basis', this.unknownReceipts, linkTo('journal', { ...period, format: 'json' })),
      line('assets_of_unknown_basis', unknownAssets, linkTo('positions', { address, date, ...zone })),
      line('unclassified_rows', this.unclassified, linkTo('events', period)),
      ...this.unpriced.list().map(({ denom, days }) => {
        const prices = rules.denomOf(denom) === undefined ? undefined : linkToPrices(denom, days);
        const link = prices ?? linkTo('events', period);
        return line('days_without_price', days.size, link, rules.denomination(denom).symbol, denom);
      }),
      ...this.unvalued.list().map(({ denom, rows }) => ({
        ...line('rows_without_price', rows.size, linkTo('events', period), rules.denomination(denom).symbol, denom),
        row_ids: [...rows].slice(0, ROW_IDS_MAX),
      })),
    ];
  }
}

const linkTo = (answer: string, query: Readonly<Record<string, string>>): string =>
  `/api/tax/v1/${answer}?${new URLSearchParams(query)}`;

/**
 * Returns a link to the missing prices. Returns undefined if the days may not fit into one response of /price-series.
 */
function linkToPrices(denom: string, days: ReadonlySet<string>): string | undefined {
  const sorted = [...days].sort();
  const [start, end] = [sorted[0]!, sorted.at(-1)!];
  // A response has at most 731 days, the length of two calendar years.
  const years = Number(end.slice(0, 4)) - Number(start.slice(0, 4));
  return years > 1 ? undefined : linkTo('price-series', { denom, start, end });
}

/** Transfers between two wallets of the request. With own_wallets=carry, these transfers move lots. */
export interface OwnTransferLine {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  readonly quantity: string;
  readonly first: string;
  readonly last: string;
}

/** @param sent rows of the sending wallets, in chain order within each wallet */
export function ownTransferLines(sent: Iterable<PricedEvent>, rules: Rules, zone: Zone): OwnTransferLine[] {
  const groups = new Groups<
    { from: string; to: string; denom: string },
    { count: number; quantity: bigint; first: string; last: string }
  >(() => ({ count: 0, quantity: 0n, first: '', last: '' }));
  for (const { address, counterparty, sent_denom, sent_amount, time } of sent) {
    const group = groups.of({ from: address, to: counterparty!, denom: sent_denom! });
    group.count++;
    group.quantity += sent_amount!;
    group.last = zone.dayOf(time);
    group.first ||= group.last;
  }
  return groups.list().map(({ from, to, denom, count, quantity, first, last }) => {
    const { symbol: asset, decimals } = rules.denomination(denom);
    return { from, to, asset, denom, count, quantity: formatDecimal(quantity, decimals), first, last };
  });
}

/** A line of the CSV summary. It has the columns of all lists. Columns of other lists are empty. */
export type TableLine = Readonly<Record<string, string | number | readonly string[]>>;

const COLUMNS: readonly (readonly [FieldKind, readonly string[]])[] = [
  ['text', ['address', 'section', 'kind', 'account', 'category', 'asset', 'denom', 'from', 'to']],
  ['number', ['rows', 'taxable_rows', 'count', 'refunds', 'without_price', 'without_basis']],
  ['decimal', ['quantity', 'basis_unknown_quantity', 'income_usd', 'fees_usd', 'proceeds_usd']],
  ['decimal', ['proceeds_basis_unknown_usd', 'refunded_proceeds_usd', 'cost_usd', 'cost_without_price_usd']],
  ['decimal', ['gain_short_usd', 'gain_long_usd', 'gain_usd', 'market_value_usd', 'debit_usd', 'credit_usd']],
  ['decimal', ['opening_quantity', 'opening_basis_unknown_quantity', 'opening_before_index_quantity']],
  ['decimal', ['opening_cost_usd', 'in_quantity', 'in_basis_unknown_quantity', 'in_cost_usd']],
  ['decimal', ['out_quantity', 'out_basis_unknown_quantity', 'out_cost_usd', 'no_lot_quantity']],
  ['decimal', ['closing_quantity', 'closing_basis_unknown_quantity', 'closing_before_index_quantity']],
  ['decimal', ['closing_cost_usd']],
  [
    'text',
    ['first', 'last', 'question', 'link', 'row_ids', 'methodology_version', 'classification_version', 'generation'],
  ],
  ['number', ['sales', 'sales_known', 'sales_short', 'sales_long', 'sales_unknown']],
  ['text', ['gain_known']],
];

export const TABLE_FIELDS: readonly Field<TableLine>[] = COLUMNS.flatMap(([kind, names]) =>
  names.map((name): Field<TableLine> => ({ name, kind, of: (line) => String(line[name] ?? '') })),
);

const LISTS = ['income', 'disposals', 'reliefs', 'refunds_across', 'carried', 'assets', 'accounts', 'open'] as const;

export interface WalletSheet {
  readonly address: string;
  readonly sheet: SheetLines;
}

export function* summaryTable(
  first: TableLine,
  sheets: readonly WalletSheet[],
  transfers: readonly OwnTransferLine[],
): Generator<TableLine, void, undefined> {
  yield first;
  for (const { address, sheet } of sheets) {
    const { rows, taxable_rows, income_usd, fees_usd, disposed } = sheet;
    yield { address, section: 'totals', rows, taxable_rows, income_usd, fees_usd, ...disposed };
    for (const section of LISTS) for (const line of sheet[section]) yield { address, section, ...line };
  }
  for (const line of transfers) yield { address: line.from, section: 'own_transfers', ...line };
}
