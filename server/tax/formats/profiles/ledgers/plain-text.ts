/** Writes plain-text accounting files: transactions of each wallet, then the used accounts, commodities and prices. */

import { createHash } from 'node:crypto';
import { formatCents, formatDecimal, PRICE_DECIMALS } from '../../../../../pipeline/base/values/amount.js';
import { firstSecond, zoneNamed } from '../../../../../pipeline/base/values/zones.js';
import { unstatedCoins } from '../../../../../pipeline/books/ledger/opening-lots.js';
import { groupTransactions } from '../../../../../pipeline/books/reports/books/group.js';
import {
  type BookPosting,
  Books,
  byRow,
  type Place,
  type Transaction,
} from '../../../../../pipeline/books/reports/books/transactions.js';
import { USUAL } from '../../../../../pipeline/books/terms.js';
import type { Reference } from '../../../../../pipeline/reference.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { lotsOf, periodsOf, type Stated, walletReplay } from '../../../dataset/wallet-ledger.js';
import { daysOf, indexDays } from '../../../parameters/time-range.js';

interface Notation {
  readonly description: string;
  readonly howTo: string;
  readonly extension: string;
  /** True if the program matches each sale to lots. A lot is then opened in several parts, one for each later sale. */
  readonly closesLots: boolean;
  readonly head: (title: string) => string;
  readonly transaction: (transaction: Transaction, names: Names, shown: Shown) => string;
  /**
   * Returns the declaration of an account.
   * @param day first day of the file
   */
  readonly account: (name: string, day: string) => string;
  readonly commodity: (name: string, denom: string, decimals: number, day: string) => string;
  readonly price: (commodity: string, day: string, usd: string) => string;
}

type Shown = (units: bigint, denom: string) => string;

export function* plainText(notation: Notation, stated: Stated, dataset: Dataset): Generator<string, void, undefined> {
  const { addresses, accounts } = stated;
  const { rules } = dataset.reference;
  const names = new Names(dataset.reference, accounts, addresses.length > 1);
  const shown: Shown = (units, denom) => formatDecimal(units, rules.denomination(denom).decimals);
  const [first, last] = daysOf(stated, dataset);
  const day = [first, indexDays(dataset, zoneNamed(stated.timezone)).first].sort()[1]!;
  yield notation.head(`Journal of ${addresses.join(', ')}, ${first} to ${last}`);
  for (const address of addresses) {
    const all = booked(address, day, notation, stated, dataset);
    const grouped =
      stated.group === '' ? all : groupTransactions(all, periodsOf(stated, dataset), !notation.closesLots);
    for (const transaction of grouped) {
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
  day: string,
  { closesLots }: Notation,
  stated: Stated,
  dataset: Dataset,
): Generator<Transaction, void, undefined> {
  const { from, to } = stated.range;
  // Balances at times before the index are unknown.
  if (to < firstSecond(zoneNamed(stated.timezone), day)) return;
  const rows = () => byRow(walletReplay(dataset, address, stated));
  const openCoins = unstatedCoins(dataset.opening(address), lotsOf(address, stated));
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
      yield books.opening(day);
      isOpen = true;
    }
    const transaction = books.book(row);
    if (isOpen) yield transaction;
  }
  if (!isOpen) yield books.opening(day);
}

/**
 * Names in plain-text accounting. A commodity (coin) consists of capitals and digits. An account is a path below one of
 * five roots. Symbols are not unique, so a commodity's name may contain part of the denom's hash.
 */
/** Maps the start of a journal account's name to an account root that hledger and Beancount accept. */
const ROOTS: Readonly<Record<string, string>> = {
  'Digital Assets': 'Assets:DigitalAssets',
  Income: 'Income',
  'Realized Gain/Loss': 'Income:RealizedGains',
  Expense: 'Expenses',
  Loss: 'Expenses:Losses',
  Liabilities: 'Liabilities',
  Equity: 'Equity',
  'Transfers In': 'Equity:TransfersIn',
  'Transfers Out': 'Equity:TransfersOut',
  Clearing: 'Equity:Clearing',
};

const DOLLAR = USUAL.currency.code;

const hashOf = (denom: string, digits: number) =>
  createHash('sha256').update(denom).digest('hex').slice(0, digits).toUpperCase();

/**
 * Returns a function that names a commodity by its symbol in capitals. If another coin has the same symbol, part of the
 * denom's hash follows.
 */
function commodityNamer({ rules, assets }: Reference): (denom: string) => string {
  const owners = new Map([[DOLLAR, '']]);
  const plain = (denom: string) =>
    rules
      .denomination(denom)
      .symbol.toUpperCase()
      .replace(/[^A-Z0-9]/g, '');
  for (const { denom } of assets) if (!owners.has(plain(denom))) owners.set(plain(denom), denom);
  return (denom) => {
    if (rules.denomOf(denom) === undefined) return `X-${hashOf(denom, 12)}`;
    const name = plain(denom);
    const unique = owners.get(name) === denom ? name : `${name.slice(0, 12)}-${hashOf(denom, 8)}`;
    return /^[A-Z]/.test(unique) ? unique : `X${unique}`;
  };
}

class Names {
  readonly denoms = new Map<string, string>();
  readonly accounts = new Set<string>();
  private readonly nameOf: (denom: string) => string;

  /** @param areSeveral true if each wallet needs its own asset accounts */
  constructor(
    private readonly reference: Reference,
    private readonly mapped: ReadonlyMap<string, string>,
    private readonly areSeveral: boolean,
  ) {
    this.nameOf = commodityNamer(reference);
  }

  commodity(denom: string): string {
    const name = this.nameOf(denom);
    this.denoms.set(name, denom);
    return name;
  }

  account(account: Place | string, address: string): string {
    const name = typeof account === 'string' ? this.named(account) : this.placed(account, address);
    this.accounts.add(name);
    return name;
  }

  private placed({ denom, kind, isOpening }: Place, address: string): string {
    const { symbol } = this.reference.rules.denomination(denom);
    const journal = `Digital Assets: ${kind === 'deposited' ? 'Deposits' : symbol}`;
    const last = kind === 'deposited' ? 'Deposits' : this.commodity(denom);
    const path = [this.mapped.get(journal) ?? `Assets:DigitalAssets:${last}`];
    if (this.areSeveral) path.push(`W${address.slice(address.lastIndexOf('1') + 1).slice(0, 8)}`);
    if (isOpening) path.push('BeforeIndex');
    return path.join(':');
  }

  private named(account: string): string {
    const [root, ...rest] = account.split(': ') as [string, ...string[]];
    return (
      this.mapped.get(account) ?? [ROOTS[root]!, ...rest.map((part) => part.replace(/[^A-Za-z0-9]/g, ''))].join(':')
    );
  }
}

const quotedText = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replace(/["\\]/g, '\\$&')}"`;

/**
 * Format of Beancount. A lot is identified by total cost (`{{}}`), day and label, so that each sale can name its lot.
 */
const beancount = {
  description:
    'Beancount ledger: lots with cost, day and label, proceeds (@@), prices of the days, accounts and commodities opened.',
  howTo: 'Check the file with bean-check, then add an include line for it to your ledger.',
  extension: 'beancount',
  closesLots: true,
  head: (title) =>
    `option "title" ${quotedText(title)}\noption "operating_currency" "${DOLLAR}"\n` +
    `option "inferred_tolerance_default" "${DOLLAR}:0.005"\n`,
  transaction({ address, day, id, txHash, description, postings }, names, shown) {
    const line = (posting: BookPosting) => {
      const account = names.account(posting.account, address);
      if ('cents' in posting) return `  ${account}  ${formatCents(posting.cents)} ${DOLLAR}\n`;
      const { units, denom, lot, proceeds = null } = posting;
      const cost = lot ? ` {{${formatCents(lot.basis)} ${DOLLAR}, ${lot.acquired}, "${lot.label}"}}` : '';
      const price = proceeds === null || !lot ? '' : ` @@ ${formatCents(proceeds)} ${DOLLAR}`;
      return `  ${account}  ${shown(units, denom)} ${names.commodity(denom)}${cost}${price}\n`;
    };
    const meta = id === '' ? '' : `  row: ${quotedText(id)}\n  tx: ${quotedText(txHash)}\n`;
    return `\n${day} * ${quotedText(description)}\n${meta}${postings.map(line).join('')}`;
  },
  account: (name, day) => `${day} open ${name}\n`,
  commodity: (name, denom, _decimals, day) => `\n${day} commodity ${name}\n  denom: ${quotedText(denom)}\n`,
  price: (commodity, day, usd) => `${day} price ${commodity} ${usd} ${DOLLAR}\n`,
} satisfies Notation;

/** Quotes a commodity unless it consists only of letters, as hledger requires. */
const quotedCommodity = (commodity: string) => (/^[A-Za-z]+$/.test(commodity) ? commodity : `"${commodity}"`);

/** Replaces characters that would end a description or begin a comment. */
const plain = (text: string) => text.replace(/[\p{Cc};|]+/gu, ' ');

/** Format of hledger. The total cost of a lot follows its quantity as `@@`. The acquisition day is a tag. */
const hledger = {
  description:
    'hledger journal: lots with their cost (@@) and day, prices of the days, accounts and commodities declared.',
  howTo: 'Check the file with hledger check, then add an include line for it to your journal.',
  extension: 'journal',
  closesLots: false,
  head: (title) => `; ${title}\n\ncommodity 1000.00 ${DOLLAR}\n`,
  transaction({ address, day, id, txHash, description, postings }, names, shown) {
    const line = (posting: BookPosting) => {
      const account = names.account(posting.account, address);
      if ('cents' in posting) return `    ${account}  ${formatCents(posting.cents)} ${DOLLAR}\n`;
      const { units, denom, lot } = posting;
      const cost = lot ? ` @@ ${formatCents(lot.basis)} ${DOLLAR}  ; lot:${lot.acquired}` : '';
      return `    ${account}  ${shown(units, denom)} ${quotedCommodity(names.commodity(denom))}${cost}\n`;
    };
    const tags = id === '' ? '' : `  ; row:${id}, tx:${txHash}`;
    return `\n${day} * ${plain(description)}${tags}\n${postings.map(line).join('')}`;
  },
  account: (name) => `account ${name}\n`,
  commodity: (name, denom, decimals) =>
    `\ncommodity 1000.${'0'.repeat(decimals)} ${quotedCommodity(name)}  ; denom:${denom}\n`,
  price: (commodity, day, usd) => `P ${day} ${quotedCommodity(commodity)} ${usd} ${DOLLAR}\n`,
} satisfies Notation;

export const NOTATIONS: Readonly<Record<string, Notation>> = { hledger, beancount };
