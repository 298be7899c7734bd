/**
 * Sums a day's or a month's journal entries, for books that need fewer lines. Entries with the same accounts, asset and
 * category become one entry; transactions of plain-text accounting with the same category become one transaction.
 */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { readSlices, VARIOUS, writeSlices } from '../../ledger/slices.js';
import type { BookPosting, CoinPosting, Transaction } from './transactions.js';

/** Returns the last day, YYYY-MM-DD, of the group to which a time belongs. */
export type PeriodEnd = (time: string) => string;

const lastSecond = (day: string) => `${day} 23:59:59`;

const memoOf = (count: number, what: string) => `sum of ${count} ${what}`;

/**
 * @param entries of one wallet, in order of time
 * @param hashOf makes a short name for the wallet, accounts, coins and category of a group
 */
export function* groupEntries(
  entries: Iterable<LedgerEntry>,
  periodEnd: PeriodEnd,
  hashOf: (text: string) => string,
): Generator<LedgerEntry, void, undefined> {
  let groups = new Map<string, LedgerEntry[]>();
  let end = '';
  for (const entry of entries) {
    const its = periodEnd(entry.time);
    if (its !== end) {
      for (const [key, group] of groups) yield summedEntry(`${end}-${hashOf(key)}`, end, group);
      groups = new Map();
      end = its;
    }
    const { address, debit_account, credit_account, denom, credit_denom, category } = entry;
    const key = [address, debit_account, credit_account, denom, credit_denom, category].join('\n');
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  for (const [key, group] of groups) yield summedEntry(`${end}-${hashOf(key)}`, end, group);
}

function summedEntry(id: string, end: string, group: readonly LedgerEntry[]): LedgerEntry {
  const last = group.at(-1)!;
  const isMove = last.credit_denom !== null;
  return {
    ...last,
    entry_id: id,
    event_id: id,
    leg: 0,
    time: lastSecond(end),
    tx_hash: '',
    amount_usd: group.reduce((sum, { amount_usd }) => sum + amount_usd, 0n),
    quantity: sumOf(group, 'quantity'),
    credit_quantity: sumOf(group, 'credit_quantity'),
    basis_unknown_quantity: sumOf(group, 'basis_unknown_quantity'),
    proceeds_usd: sumOf(group, 'proceeds_usd'),
    price_usd: null,
    credit_price_usd: null,
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

type Quantity = 'quantity' | 'credit_quantity' | 'basis_unknown_quantity' | 'proceeds_usd';

function sumOf(group: readonly LedgerEntry[], member: Quantity): bigint | null {
  const known = group.map((entry) => entry[member]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0n);
}

function commonOf<Member extends 'acquired' | 'term'>(
  group: readonly LedgerEntry[],
  member: Member,
  several: LedgerEntry[Member],
): LedgerEntry[Member] {
  const values = new Set(group.map((entry) => entry[member]).filter((value) => value !== null));
  return values.size > 1 ? several : ([...values][0] ?? null);
}

/**
 * @param transactions of one wallet, in order of time
 * @param mergesLots true if the program does not match sales with lots. Otherwise a group ends before a transaction
 *   that takes coins from a lot of the group, because a program finds only lots of earlier transactions
 */
export function* groupTransactions(
  transactions: Iterable<Transaction>,
  periodEnd: PeriodEnd,
  mergesLots: boolean,
): Generator<Transaction, void, undefined> {
  let groups = new Map<string, TransactionGroup>();
  let opened = new Set<string>();
  let end = '';
  for (const transaction of transactions) {
    const { id, time, category, postings } = transaction;
    if (id === '') {
      yield transaction;
      continue;
    }
    const lots = postings.flatMap((posting) => ('lot' in posting && posting.lot ? [posting] : []));
    const isDependent = !mergesLots && lots.some(({ lot, units }) => units < 0n && opened.has(lot!.label));
    if (periodEnd(time) !== end || isDependent) {
      for (const group of groups.values()) yield group.sum();
      groups = new Map();
      opened = new Set();
      end = periodEnd(time);
    }
    const group = groups.get(category) ?? new TransactionGroup(transaction, end, mergesLots);
    groups.set(category, group);
    for (const posting of postings) group.add(posting);
    group.count++;
    for (const { lot, units } of lots) if (units > 0n) opened.add(lot!.label);
  }
  for (const group of groups.values()) yield group.sum();
}

class TransactionGroup {
  count = 0;
  private readonly postings = new Map<string, BookPosting>();

  constructor(
    private readonly first: Transaction,
    private readonly end: string,
    private readonly mergesLots: boolean,
  ) {}

  add(posting: BookPosting): void {
    const key = this.keyOf(posting);
    const known = this.postings.get(key);
    this.postings.set(key, known ? added(known, posting) : posting);
  }

  sum(): Transaction {
    const { address, category } = this.first;
    const description = `${category.replaceAll('_', ' ')}; ${memoOf(this.count, 'transactions')}`;
    const postings = [...this.postings.values()].filter((posting) => unitsOf(posting) !== 0n);
    return { address, category, time: lastSecond(this.end), id: '', txHash: '', description, postings };
  }

  private keyOf(posting: BookPosting): string {
    const account = JSON.stringify(posting.account);
    if ('cents' in posting) return account;
    const { denom, lot, units } = posting;
    if (!lot) return `${account} ${denom}`;
    return `${account} ${denom} ${units > 0n} ${this.mergesLots ? lot.acquired : lot.label}`;
  }
}

const unitsOf = (posting: BookPosting) => ('cents' in posting ? posting.cents : posting.units);

function added(a: BookPosting, b: BookPosting): BookPosting {
  if ('cents' in a) return { ...a, cents: a.cents + unitsOf(b) };
  const { lot, units, proceeds } = b as CoinPosting;
  const sum = { ...a, units: a.units + units };
  if (!a.lot || !lot) return sum;
  const paid = a.proceeds == null || proceeds == null ? null : a.proceeds + proceeds;
  return { ...sum, proceeds: paid, lot: { ...a.lot, units: a.lot.units + lot.units, basis: a.lot.basis + lot.basis } };
}
