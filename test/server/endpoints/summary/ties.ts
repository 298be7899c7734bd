/** The ties of /summary: every figure of it, added up once more from the answers that show the lines. */
import assert from 'node:assert/strict';
import { formatCents, parseDecimal } from '../../../../pipeline/base/values/amount.js';
import type {
  EventList,
  Form8949,
  Journal,
  Positions,
  Summary,
  SummarySheet,
} from '../../../../schemas/types.generated.js';

/** Asks a path below /api/tax/v1 and gives its JSON. */
export type Ask = <Body>(path: string, query: Readonly<Record<string, string>>) => Promise<Body>;

/** Places of decimals that hold every quantity. */
const PLACES = 30;
const units = (text: string) => parseDecimal(text === '' ? '0' : text, PLACES);
const cents = (text: string) => parseDecimal(text === '' ? '0' : text, 2);

/** Sums of values by key, as texts that compare. */
function sums<Item>(items: Iterable<Item>, key: (item: Item) => string, ...values: ((item: Item) => bigint)[]) {
  const found = new Map<string, bigint[]>();
  for (const item of items) {
    const before = found.get(key(item)) ?? values.map(() => 0n);
    found.set(
      key(item),
      before.map((sum, i) => sum + values[i]!(item)),
    );
  }
  const lines = [...found].filter(([, all]) => all.some((sum) => sum !== 0n)).map(([at, all]) => `${at}: ${all}`);
  return lines.sort();
}

type Line = Journal['lines'][number];
const isDebit = ({ debit_usd }: Line) => debit_usd !== '';
const amountOf = (line: Line) => cents(line.debit_usd) + cents(line.credit_usd);

/** Debits less credits of an account. */
const balance = (lines: readonly Line[], account: string) =>
  lines
    .filter((line) => line.account === account)
    .reduce((sum, line) => sum + cents(line.debit_usd) - cents(line.credit_usd), 0n);

/**
 * Asks for a summary and for all that it rests on, and requires that they agree, wallet by wallet and in all.
 * @param query `address`, `start`, `end` and what the caller says
 * @param before the UTC day before the period, or what was held before the index where that is none of its days
 */
export async function requireTies(
  ask: Ask,
  query: Record<string, string>,
  before: string | readonly Held[],
): Promise<Summary> {
  const summary = await ask<Summary>('summary', query);
  const journal = await ask<Journal>('journal', { ...query, format: 'json' });
  const events = await ask<EventList>('events', query);
  const { start, end, ...rest } = query;
  const heldOn = async (date: string) => (await ask<Positions>('positions', { ...rest, date })).positions;
  const opening = typeof before === 'string' ? await heldOn(before) : before;
  // Nothing changes after the index, and a day that is still to come has no positions.
  const closing = await heldOn([summary.end, summary.coverage.index_end].sort()[0]!);
  assert.equal(events.summary.incomeUsd, Number(summary.total.income_usd));
  for (const sheet of [summary.total, ...summary.wallets]) {
    const own = <Row extends { address: string }>(rows: readonly Row[]) =>
      sheet.address === 'all' ? rows : rows.filter(({ address }) => address === sheet.address);
    const lines = own(journal.lines);
    requireSums(sheet, lines);
    requireAssets(sheet, lines, own(opening), own(closing));
    requireRows(sheet, own(events.events));
  }
  await requireForm(ask, query, summary);
  return summary;
}

/** Terms and counts of sales against Form 8949, with a row for each slice and with small rows summed. */
async function requireForm(ask: Ask, query: Record<string, string>, { total, wallets }: Summary): Promise<void> {
  const formOf = (fees: string) => ask<Form8949>('journal', { ...query, format: 'json', profile: 'form8949', fees });
  const [each, monthly] = [await formOf('each'), await formOf('monthly')];
  for (const { address, disposed } of [total, ...wallets]) {
    const rows = each.rows.filter((row) => address === 'all' || row.address === address);
    const salesOf = (own: readonly Form8949['rows'][number][]) =>
      new Set(own.map((row) => `${row.address} ${row.entry_id}`)).size;
    const ofTerm = (term: string) => salesOf(rows.filter((row) => row.term === term));
    assert.deepEqual(
      [disposed.sales, disposed.sales_known, disposed.sales_short, disposed.sales_long, disposed.sales_unknown],
      [
        salesOf(rows),
        salesOf(rows.filter(({ term }) => term !== '')),
        ofTerm('SHORT'),
        ofTerm('LONG'),
        salesOf(rows.filter(({ term }) => term === '')),
      ],
      address,
    );
    for (const [sales, gain] of [
      [disposed.sales_short, disposed.gain_short_usd],
      [disposed.sales_long, disposed.gain_long_usd],
    ] as const)
      if (sales === 0) assert.equal(gain, disposed.sales_unknown === 0 ? '0.00' : '', address);
  }
  const { disposed } = total;
  for (const { sales, totals } of [each, monthly]) {
    assert.equal(sales, disposed.sales);
    assert.deepEqual(
      totals.slice(0, 2).map((box) => [box.sales, box.gain_usd]),
      [
        [disposed.sales_short, disposed.gain_short_usd],
        [disposed.sales_long, disposed.gain_long_usd],
      ],
    );
    const proceeds = totals.reduce((sum, { proceeds_usd }) => sum + cents(proceeds_usd), 0n);
    assert.equal(proceeds, cents(disposed.proceeds_usd));
  }
  assert.equal(each.count, each.rows.length);
}

/** Accounts, income, disposals and reliefs against the journal's lines. */
function requireSums(sheet: SummarySheet, lines: readonly Line[]): void {
  const by = ({ account, category, asset }: { account: string; category: string; asset: string }) =>
    `${account} ${category} ${asset}`;
  const { disposed } = sheet;
  const across = (figure: 'gain_usd' | 'proceeds_basis_unknown_usd') =>
    sheet.refunds_across.reduce(
      (sum, line) => sum + (line.kind === 'refunded_later' ? 1n : -1n) * cents(line[figure]),
      cents(disposed[figure]),
    );
  assert.deepEqual(
    sheet.accounts.map(({ account, debit_usd, credit_usd }) => [account, debit_usd, credit_usd]),
    [...new Set(lines.map(({ account }) => account))].sort().map((account) => {
      const its = lines.filter((line) => line.account === account);
      const sum = (of: (line: Line) => string) => formatCents(its.reduce((total, line) => total + cents(of(line)), 0n));
      return [account, sum((line) => line.debit_usd), sum((line) => line.credit_usd)];
    }),
  );
  const income = lines.filter(({ account }) => account.startsWith('Income: '));
  assert.deepEqual(
    sums(
      sheet.income,
      by,
      (line) => cents(line.income_usd),
      (line) => units(line.quantity),
    ),
    sums(income, by, amountOf, (line) => units(line.quantity)),
  );
  assert.equal(
    cents(sheet.income_usd),
    income.reduce((sum, line) => sum + amountOf(line), 0n),
  );
  const disposals = lines.filter((line) => isDebit(line) && line.proceeds_usd !== '');
  const proceeds = disposals.reduce((sum, line) => sum + cents(line.proceeds_usd), 0n);
  assert.equal(cents(disposed.proceeds_usd) + cents(disposed.refunded_proceeds_usd), proceeds);
  assert.equal(across('gain_usd'), -balance(lines, 'Realized Gain/Loss'));
  assert.equal(cents(disposed.gain_short_usd) + cents(disposed.gain_long_usd), cents(disposed.gain_usd));
  assert.equal(across('proceeds_basis_unknown_usd'), -balance(lines, 'Equity: Unknown Basis'));
  assert.equal(
    cents(disposed.proceeds_usd) - cents(disposed.proceeds_basis_unknown_usd) - cents(disposed.cost_usd),
    cents(disposed.gain_usd),
  );
  const fees = disposals.filter(({ account }) => account === 'Expense: Network Fees');
  assert.equal(
    cents(sheet.fees_usd),
    fees.reduce((sum, line) => sum + cents(line.proceeds_usd), 0n),
  );
  assert.deepEqual(
    sums(sheet.disposals, by, (line) => cents(line.proceeds_usd) + cents(line.refunded_proceeds_usd)),
    sums(disposals, by, (line) => cents(line.proceeds_usd)),
  );
  for (const name of ['proceeds_usd', 'cost_usd', 'cost_without_price_usd', 'gain_short_usd', 'gain_long_usd'] as const)
    assert.equal(
      cents(disposed[name]),
      sheet.disposals.reduce((sum, line) => sum + cents(line[name]), 0n),
      name,
    );
  // Accounts that only reliefs and their refunds touch.
  for (const [kind, accounts] of Object.entries(RELIEF_ACCOUNTS)) {
    const cost = sheet.reliefs
      .filter((line) => line.kind === kind)
      .reduce((sum, line) => sum + cents(line.cost_usd), 0n);
    assert.equal(
      cost,
      accounts.reduce((sum, account) => sum + balance(lines, account), 0n),
      kind,
    );
  }
}

const RELIEF_ACCOUNTS = {
  gift: ['Equity: Gifts'],
  donation: ['Expense: Donations'],
  loss: ['Loss: Slashing', 'Loss: Theft and Loss', 'Loss: Burned Deposits', 'Loss: Burned Tokens'],
};

/** The members of a position that do not follow from prices. */
export type Held = Pick<
  Positions['positions'][number],
  'address' | 'asset' | 'denom' | 'quantity' | 'basis_unknown_quantity' | 'opening_quantity' | 'cost_basis_usd'
>;

/** Opening and closing against positions, in and out against the journal's lines. */
function requireAssets(
  sheet: SummarySheet,
  lines: readonly Line[],
  opening: readonly Held[],
  closing: readonly Held[],
): void {
  const { assets } = sheet;
  const by = ({ asset }: { asset: string }) => asset;
  const held = (positions: readonly Held[]) =>
    sums(
      positions,
      by,
      (row) => units(row.quantity),
      (row) => units(row.basis_unknown_quantity),
      (row) => units(row.opening_quantity),
      (row) => cents(row.cost_basis_usd),
    );
  for (const [moment, positions] of [['opening', opening] as const, ['closing', closing] as const]) {
    const its = sums(
      assets,
      by,
      (row) => units(row[`${moment}_quantity`]),
      (row) => units(row[`${moment}_basis_unknown_quantity`]),
      (row) => units(row[`${moment}_before_index_quantity`]),
      (row) => cents(row[`${moment}_cost_usd`]),
    );
    assert.deepEqual(its, held(positions), `${sheet.address} ${moment}`);
  }
  const moved = lines.filter(
    (line) => line.account === `Digital Assets: ${line.asset}` && line.category !== 'opening_lot',
  );
  const [came, left] = [moved.filter(isDebit), moved.filter((line) => !isDebit(line))];
  for (const [way, its] of [['in', came] as const, ['out', left] as const]) {
    assert.deepEqual(
      sums(
        assets,
        by,
        (row) => units(row[`${way}_quantity`]),
        (row) => cents(row[`${way}_cost_usd`]),
      ),
      sums(its, by, (line) => units(line.quantity), amountOf),
    );
  }
  for (const row of assets) {
    const cost = cents(row.opening_cost_usd) + cents(row.in_cost_usd) - cents(row.out_cost_usd);
    assert.equal(cost, cents(row.closing_cost_usd), `${sheet.address} ${row.denom}: cost`);
  }
}

/** Counts against the rows of /events. */
function requireRows(sheet: SummarySheet, rows: readonly EventList['events'][number][]): void {
  const open = (question: string) => sheet.open.filter((line) => line.question === question);
  assert.deepEqual([sheet.rows, sheet.taxable_rows], [rows.length, rows.filter(({ taxable }) => taxable).length]);
  assert.equal(open('unclassified_rows')[0]!.count, rows.filter(({ category }) => category === 'unclassified').length);
  const unpriced = rows.filter(({ priceMissing }) => priceMissing);
  const days = new Set(
    unpriced.map((row) => `${row.receivedDenom || row.sentDenom || row.feeDenom} ${row.date.slice(0, 10)}`),
  );
  assert.equal(
    open('days_without_price').reduce((sum, { count }) => sum + count, 0),
    days.size,
  );
}

/**
 * Requires that every transfer suggested while wallets are apart is carried once they are together, and that no lot is lost on the way.
 * @returns number of assets that were carried
 */
export function requireCarried(apart: Summary, together: Summary): number {
  const { carried } = together.total;
  const quantityOf = (denom: string) =>
    apart.own_transfers
      .filter((line) => line.denom === denom)
      .reduce((sum, { quantity }) => sum + parseDecimal(quantity, 18), 0n);
  assert.deepEqual([apart.total.carried, together.own_transfers], [[], []]);
  assert.deepEqual(
    carried.map(({ denom }) => denom).sort(),
    [...new Set(apart.own_transfers.map(({ denom }) => denom))].sort(),
  );
  for (const { denom, in_quantity, in_cost_usd, out_quantity, out_cost_usd } of carried) {
    assert.deepEqual([in_quantity, in_cost_usd], [out_quantity, out_cost_usd], denom);
    assert.equal(parseDecimal(out_quantity, 18), quantityOf(denom), denom);
  }
  return carried.length;
}
