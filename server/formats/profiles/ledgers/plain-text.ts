/** Files of plain-text accounting: each wallet's transactions in order, then what they use: accounts, commodities and the days' prices. */
import { formatDecimal, PRICE_DECIMALS } from '../../../../pipeline/ledger/amount.js';
import { Books, byRow, type Transaction } from '../../../../pipeline/reports/books/transactions.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { batchesOf, walletReplay } from '../../../dataset/wallet-ledger.js';
import { daysOf } from '../../../parameters/time-range.js';
import type { Stated } from '../../entries-of-range.js';
import { Names } from './names.js';

/** The notation of a program. */
export interface Notation {
  readonly description: string;
  /** Extension of its files. */
  readonly extension: string;
  /** Whether lots are closed as they were opened, so that every part of one must be known when it is opened. */
  readonly closesLots: boolean;
  readonly head: (title: string) => string;
  readonly transaction: (transaction: Transaction, names: Names, shown: Shown) => string;
  /** @param day the first day of the file */
  readonly account: (name: string, day: string) => string;
  readonly commodity: (name: string, denom: string, decimals: number, day: string) => string;
  readonly price: (commodity: string, day: string, usd: string) => string;
}

/** Shows base units of a denom as a plain decimal. */
export type Shown = (units: bigint, denom: string) => string;

/** Rows of the journal between two pauses. */
const ROWS_AT_ONCE = 50;

export function* plainText(notation: Notation, stated: Stated, dataset: Dataset): Generator<string, void, undefined> {
  const { addresses, range, accounts } = stated;
  const { rules } = dataset.reference;
  const names = new Names(dataset.reference, accounts, addresses.length > 1);
  const shown: Shown = (units, denom) => formatDecimal(units, rules.denomination(denom).decimals);
  const [first, last] = daysOf(range, dataset);
  const day = [first, dataset.indexStart].sort()[1]!;
  yield notation.head(`Journal of ${addresses.join(', ')}, ${first} to ${last}`);
  for (const address of addresses) {
    for (const transactions of booked(address, `${day} 00:00:00`, notation, stated, dataset)) {
      yield transactions.map((transaction) => notation.transaction(transaction, names, shown)).join('');
    }
  }
  for (const [commodity, denom] of names.denoms) {
    yield notation.commodity(commodity, denom, rules.denomination(denom).decimals, day);
    const prices = [...dataset.prices(denom)].filter(([priced]) => priced >= day && priced <= last);
    yield prices.map(([priced, usd]) => notation.price(commodity, priced, formatDecimal(usd, PRICE_DECIMALS))).join('');
  }
  yield [...names.accounts]
    .sort()
    .map((name) => notation.account(name, day))
    .join('');
}

/** A wallet's transactions in batches: what lay there when the range begins, then the range's. */
function* booked(
  address: string,
  opening: string,
  { closesLots }: Notation,
  stated: Stated,
  dataset: Dataset,
): Generator<Transaction[], void, undefined> {
  const { from, to } = stated.range;
  // Before the index nothing is known to lie there.
  if (to < opening) return;
  const openCoins = openingCoins(address, stated, dataset);
  let plan: Books | undefined;
  if (closesLots) {
    plan = new Books(address, openCoins);
    for (const rows of batches(address, stated, dataset)) {
      for (const row of rows) if (row[0].time <= to) plan.book(row);
      yield [];
    }
  }
  const books = new Books(address, openCoins, plan);
  let isOpen = false;
  for (const rows of batches(address, stated, dataset)) {
    const transactions: Transaction[] = [];
    for (const row of rows) {
      if (row[0].time > to) continue;
      if (row[0].time >= from && !isOpen) {
        transactions.push(books.opening(opening));
        isOpen = true;
      }
      const transaction = books.book(row);
      if (isOpen) transactions.push(transaction);
    }
    yield transactions.filter(({ postings }) => postings.length > 0);
  }
  if (!isOpen) yield [books.opening(opening)].filter(({ postings }) => postings.length > 0);
}

/** Rows of a wallet's journal in batches. */
const batches = (address: string, stated: Stated, dataset: Dataset) =>
  batchesOf(byRow(walletReplay(dataset, address, stated)), ROWS_AT_ONCE);

/** Coins of a wallet from before the index, less those whose basis the caller states. */
function openingCoins(address: string, { openingLots }: Stated, dataset: Dataset): Map<string, bigint> {
  const coins = new Map(dataset.opening(address) ?? []);
  for (const lot of openingLots) {
    if ((lot.address ?? address) !== address) continue;
    coins.set(lot.denom, coins.get(lot.denom)! - lot.quantity);
  }
  return coins;
}
