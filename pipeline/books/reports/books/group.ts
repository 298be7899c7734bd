/**
 * Sums the journal entries of a day or month, for books with fewer lines. Entries with the same accounts, asset and
 * category become one entry. Transactions of plain-text accounting with the same category become one transaction.
 */
import { lastSecond, type Zone } from '../../../base/values/zones.js';
import { type Entry, VARIOUS } from '../../ledger/entry.js';
import { readSlices, writeSlices } from '../../ledger/slices.js';
import type { BookPosting, CoinPosting, Transaction } from './transactions.js';

/** The days or months by which entries are grouped. */
export interface Periods {
  /** Returns the last day of the group that contains a day. */
  endOf(day: string): string;
  readonly zone: Zone;
}

const memoOf = (count: number, what: string) => `sum of ${count} ${what}`;

/**
 * @param entries of one wallet, in order of time
 * @param hashOf returns a short name for the wallet, accounts, coins and category of a group
 */
export function* groupEntries(
  entries: Iterable<Entry>,
  { endOf, zone }: Periods,
  hashOf: (text: string) => string,
): Generator<Entry, void, undefined> {
  let groups = new Map<string, Entry[]>();
  let end = '';
  for (const entry of entries) {
    const its = endOf(entry.day);
    if (its !== end) {
      for (const [key, group] of groups) yield summedEntry(`${end}-${hashOf(key)}`, end, zone, group);
      groups = new Map();
      end = its;
    }
    const { address, debit_account, credit_account, denom, credit_denom, category } = entry;
    const key = [address, debit_account, credit_account, denom, credit_denom, category].join('\n');
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  for (const [key, group] of groups) yield summedEntry(`${end}-${hashOf(key)}`, end, zone, group);
}

function summedEntry(id: string, end: string, zone: Zone, group: readonly Entry[]): Entry {
  const last = group.at(-1)!;
  const isMove = last.credit_denom !== null;
  return {
    ...last,
    entry_id: id,
    event_id: id,
    leg: 0,
    time: lastSecond(zone, end),
    day: end,
    tx_hash: '',
    amount: group.reduce((sum, { amount }) => sum + amount, 0n),
    quantity: sumOf(group, 'quantity'),
    credit_quantity: sumOf(group, 'credit_quantity'),
    basis_unknown_quantity: sumOf(group, 'basis_unknown_quantity'),
    proceeds: sumOf(group, 'proceeds'),
    price: null,
    credit_price: null,
    memo: memoOf(group.length, 'entries'),
    slices: isMove ? writeSlices(group.flatMap(({ slices }) => readSlices(slices))) : null,
    reverses: null,
    counterparty: null,
    validator: null,
    acquired: commonOf(group, 'acquired', VARIOUS),
    term: commonOf(group, 'term', 'MIXED'),
    tx_memo: '',
  };
}

type Quantity = 'quantity' | 'credit_quantity' | 'basis_unknown_quantity' | 'proceeds';

function sumOf(group: readonly Entry[], member: Quantity): bigint | null {
  const known = group.map((entry) => entry[member]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0n);
}

function commonOf<Member extends 'acquired' | 'term'>(
  group: readonly Entry[],
  member: Member,
  several: Entry[Member],
): Entry[Member] {
  const values = new Set(group.map((entry) => entry[member]).filter((value) => value !== null));
  return values.size > 1 ? several : ([...values][0] ?? null);
}

/**
 * Sums transactions into groups. @param transactions of one wallet, in order of time
 * @param mergesLots true if the program does not match sales to lots. Otherwise a group must end before a transaction
 * that takes coins from one of the group's lots, because a program finds only lots of earlier transactions.
 */
export function* groupTransactions(
  transactions: Iterable<Transaction>,
  { endOf }: Periods,
  mergesLots: boolean,
): Generator<Transaction, void, undefined> {
  const balances: Balances = new Map();
  let pending: Transaction[] = [];
  let opened = new Set<string>();
  let end = '';
  const flush = () => {
    const groups = groupsOf(pending, end, mergesLots);
    const single = () => pending.map((transaction) => ({ ...transaction, day: end }));
    const written = mergesLots ? groups : (ordered(groups, balances) ?? single());
    for (const { postings } of pending) addTo(balances, postings);
    [pending, opened] = [[], new Set()];
    return written;
  };
  for (const transaction of transactions) {
    const { id, day, postings } = transaction;
    if (id === '') {
      addTo(balances, postings);
      yield transaction;
      continue;
    }
    const lots = postings.filter(hasLot);
    const isDependent = lots.some(({ lot, units }) => units < 0n && opened.has(lot.label));
    if (endOf(day) !== end || (isDependent && !mergesLots)) yield* flush();
    end = endOf(day);
    pending.push(transaction);
    for (const { lot, units } of lots) if (units > 0n) opened.add(lot.label);
  }
  yield* flush();
}

type LotPosting = CoinPosting & Required<Pick<CoinPosting, 'lot'>>;

const hasLot = (posting: BookPosting): posting is LotPosting => 'lot' in posting && posting.lot !== undefined;

/** Coins without a lot in the wallet's accounts, in base units. */
type Balances = Map<string, bigint>;

function addTo(balances: Balances, postings: readonly BookPosting[]): void {
  for (const posting of postings) {
    if ('cents' in posting || hasLot(posting) || typeof posting.account === 'string') continue;
    const key = JSON.stringify(posting.account);
    balances.set(key, (balances.get(key) ?? 0n) + posting.units);
  }
}

/**
 * Orders groups so that no balance becomes negative. With a negative balance, Beancount would treat a new lot as a
 * reduction.
 * @returns undefined if it finds no such order
 */
function ordered(groups: readonly Transaction[], balances: Balances): Transaction[] | undefined {
  const held = new Map(balances);
  const left = [...groups];
  const order: Transaction[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ postings }) => {
      const after = new Map(held);
      addTo(after, postings);
      return [...after.values()].every((units) => units >= 0n);
    });
    if (next < 0) return undefined;
    const [group] = left.splice(next, 1);
    addTo(held, group!.postings);
    order.push(group!);
  }
  return order;
}

function groupsOf(transactions: readonly Transaction[], end: string, mergesLots: boolean): Transaction[] {
  const groups = new Map<string, TransactionGroup>();
  for (const transaction of transactions) {
    const { category } = transaction;
    const group = groups.get(category) ?? new TransactionGroup(transaction, end, mergesLots);
    groups.set(category, group);
    group.add(transaction);
  }
  return Array.from(groups.values(), (group) => group.sum());
}

class TransactionGroup {
  private count = 0;
  private readonly postings = new Map<string, BookPosting>();

  constructor(
    private readonly first: Transaction,
    private readonly end: string,
    private readonly mergesLots: boolean,
  ) {}

  add({ postings }: Transaction): void {
    this.count++;
    for (const posting of postings) {
      const key = this.keyOf(posting);
      const known = this.postings.get(key);
      this.postings.set(key, known ? added(known, posting) : posting);
    }
  }

  sum(): Transaction {
    const { address, category } = this.first;
    const description = `${category.replaceAll('_', ' ')}; ${memoOf(this.count, 'transactions')}`;
    const all = [...this.postings.values()].filter((posting) => unitsOf(posting) !== 0n);
    // Lots come first. If coins without a lot left earlier, a new lot would look like a reduction.
    const postings = [...all.filter(hasLot), ...all.filter((posting) => !hasLot(posting))];
    return { address, category, day: this.end, id: '', txHash: '', description, postings };
  }

  private keyOf(posting: BookPosting): string {
    const account = JSON.stringify(posting.account);
    if ('cents' in posting) return account;
    if (!hasLot(posting)) return `${account} ${posting.denom}`;
    const { denom, lot, units } = posting;
    return `${account} ${denom} ${units > 0n} ${this.mergesLots ? lot.acquired : lot.label}`;
  }
}

const unitsOf = (posting: BookPosting) => ('cents' in posting ? posting.cents : posting.units);

function added(a: BookPosting, b: BookPosting): BookPosting {
  if ('cents' in a) return { ...a, cents: a.cents + unitsOf(b) };
  const sum = { ...a, units: a.units + unitsOf(b) };
  if (!hasLot(a) || !hasLot(b)) return sum;
  const { lot, proceeds } = b;
  const paid = a.proceeds == null || proceeds == null ? null : a.proceeds + proceeds;
  return { ...sum, proceeds: paid, lot: { ...a.lot, units: a.lot.units + lot.units, basis: a.lot.basis + lot.basis } };
}
