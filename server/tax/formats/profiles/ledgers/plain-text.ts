/** Plain-text accounting files: transactions of each wallet, then the accounts, commodities and prices used in them. */
import { formatDecimal, PRICE_DECIMALS } from '../../../../../pipeline/base/values/amount.js';
import { Books, byRow, type Transaction } from '../../../../../pipeline/reports/books/transactions.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { walletReplay } from '../../../dataset/wallet-ledger.js';
import { daysOf } from '../../../parameters/time-range.js';
import type { Stated } from '../../entries-of-range.js';
import { Names } from './names.js';

export interface Notation {
  readonly description: string;
  readonly extension: string;
  /** Whether the program matches sales with lots. A lot is then opened in the parts in which it is sold later. */
  readonly closesLots: boolean;
  readonly head: (title: string) => string;
  readonly transaction: (transaction: Transaction, names: Names, shown: Shown) => string;
  /** @param day first day of the file */
  readonly account: (name: string, day: string) => string;
  readonly commodity: (name: string, denom: string, decimals: number, day: string) => string;
  readonly price: (commodity: string, day: string, usd: string) => string;
}

export type Shown = (units: bigint, denom: string) => string;

export function* plainText(notation: Notation, stated: Stated, dataset: Dataset): Generator<string, void, undefined> {
  const { addresses, range, accounts } = stated;
  const { rules } = dataset.reference;
  const names = new Names(dataset.reference, accounts, addresses.length > 1);
  const shown: Shown = (units, denom) => formatDecimal(units, rules.denomination(denom).decimals);
  const [first, last] = daysOf(range, dataset);
  const day = [first, dataset.indexStart].sort()[1]!;
  yield notation.head(`Journal of ${addresses.join(', ')}, ${first} to ${last}`);
  for (const address of addresses) {
    for (const transaction of booked(address, `${day} 00:00:00`, notation, stated, dataset)) {
      if (transaction.postings.length > 0) yield notation.transaction(transaction, names, shown);
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

function* booked(
  address: string,
  opening: string,
  { closesLots }: Notation,
  stated: Stated,
  dataset: Dataset,
): Generator<Transaction, void, undefined> {
  const { from, to } = stated.range;
  // Before the index begins, no balances are known.
  if (to < opening) return;
  const rows = () => byRow(walletReplay(dataset, address, stated));
  const openCoins = openingCoins(address, stated, dataset);
  let plan: Books | undefined;
  if (closesLots) {
    plan = new Books(address, openCoins);
    for (const row of rows()) if (row[0].time <= to) plan.book(row);
  }
  const books = new Books(address, openCoins, plan);
  let isOpen = false;
  for (const row of rows()) {
    if (row[0].time > to) break;
    if (row[0].time >= from && !isOpen) {
      yield books.opening(opening);
      isOpen = true;
    }
    const transaction = books.book(row);
    if (isOpen) yield transaction;
  }
  if (!isOpen) yield books.opening(opening);
}

/** Returns coins at the start of the index, minus those in opening lots that the user stated. */
function openingCoins(address: string, { openingLots }: Stated, dataset: Dataset): Map<string, bigint> {
  const coins = new Map(dataset.opening(address) ?? []);
  for (const lot of openingLots) {
    if ((lot.address ?? address) !== address) continue;
    coins.set(lot.denom, coins.get(lot.denom)! - lot.quantity);
  }
  return coins;
}
