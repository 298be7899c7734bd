/** Replays a wallet's rows with the caller's decisions. Uses the same code as the nightly run. */
import { createHash } from 'node:crypto';
import { lastOfMonth } from '../../../pipeline/base/values/day.js';
import { zoneNamed } from '../../../pipeline/base/values/zones.js';
import { Away, type AwaySend, hasReturns } from '../../../pipeline/books/ledger/away.js';
import { type Decisions, isDecided, noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { type OpeningLot, openingEntries } from '../../../pipeline/books/ledger/opening-lots.js';
import {
  eventsUntil,
  findOwnTransfers,
  type OwnTransfers,
  replayJointly,
  replayUnwritten,
  replayWallet,
  WalletState,
} from '../../../pipeline/books/ledger/replay.js';
import { groupEntries, type Periods } from '../../../pipeline/books/reports/books/group.js';
import type { TimeRange } from '../../../pipeline/books/reports/coverage.js';
import { carriesLots, termsOf } from '../../../pipeline/books/terms.js';
import { SEGMENT_ROWS } from '../../../pipeline/publish/wallet-index/events-format.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { ValidParameters } from '../parameters/parameters.js';
import { ALL_TIME, daysOf, indexDays, isInRange } from '../parameters/time-range.js';
import { type Dataset, rowsWhere } from './dataset.js';

/** Facts that the caller states, because the chain does not contain them. */
interface Statements {
  /** Name of the lot method. */
  readonly method: string;
  /** Name of the time zone; by default UTC. */
  readonly timezone?: string | undefined;
  readonly decisions: Decisions;
  readonly openingLots: readonly OpeningLot[];
  readonly ownTransfers?: OwnTransfers | undefined;
  /** The account of coins that are away; by default one for each replay, if a decision brings coins home. */
  readonly away?: Away | undefined;
}

export function* walletReplay(
  dataset: Dataset,
  address: string,
  statements: Statements,
): Generator<Entry, void, undefined> {
  const { wallet, opening } = openBooks(dataset, address, statements);
  const { decisions, ownTransfers } = statements;
  yield* opening();
  yield* replayWallet(walletEvents(dataset, address), decisions, wallet, ownTransfers);
}

/** Creates the state of a wallet before its first row, for a replay. */
export function openBooks(
  dataset: Dataset,
  address: string,
  statements: Omit<Statements, 'decisions'> & { readonly decisions?: Decisions },
): { wallet: WalletState; opening: () => readonly Entry[] } {
  const stated = lotsOf(address, statements);
  const { rules } = dataset.reference;
  const { method, zone } = termsOf(statements);
  const { decisions, ownTransfers } = statements;
  const shared = statements.away ?? ownTransfers?.away;
  const away = shared ?? (decisions && hasReturns(decisions.assets) ? new Away() : undefined);
  const wallet = new WalletState({ method, zone, rules, address, opening: dataset.opening(address), stated, away });
  return { wallet, opening: () => openingEntries(wallet, stated, dataset.indexStart) };
}

export const lotsOf = (address: string, { openingLots }: Pick<Statements, 'openingLots'>): readonly OpeningLot[] =>
  openingLots.filter((lot) => (lot.address ?? address) === address);

export function* walletEvents(dataset: Dataset, address: string): Generator<PricedEvent, void, undefined> {
  for (const segment of dataset.events(address)) yield* segment;
}

interface PeriodLedger {
  /**
   * Changes while the iterables below are consumed. After `before`, it contains the lots at the start of the period.
   * After `within`, it contains the lots at the end.
   */
  readonly wallet: WalletState;
  readonly before: Iterable<Entry>;
  readonly within: Iterable<Entry>;
}

/** @param note called for each row of the period before the row is replayed */
export function periodLedger(
  dataset: Dataset,
  address: string,
  statements: Statements,
  { from, to }: Pick<TimeRange, 'from' | 'to'>,
  note: (row: PricedEvent) => void,
): PeriodLedger {
  const { wallet, opening } = openBooks(dataset, address, statements);
  const rows = walletEvents(dataset, address);
  let next = rows.next();
  function* rowsWhile(belongs: (row: PricedEvent) => boolean) {
    for (; !next.done && belongs(next.value); next = rows.next()) yield next.value;
  }
  const replayed = (events: Iterable<PricedEvent>) =>
    replayWallet(events, statements.decisions, wallet, statements.ownTransfers);
  function* before() {
    yield* opening().filter(({ time }) => time < from);
    yield* replayed(rowsWhile((row) => row.time < from));
  }
  function* within() {
    yield* opening().filter(({ time }) => time >= from && time <= to);
    yield* replayed(noted(rowsWhile((row) => row.time <= to)));
  }
  function* noted(events: Iterable<PricedEvent>) {
    for (const event of events) {
      note(event);
      yield event;
    }
  }
  return { wallet, before: before(), within: within() };
}

/** A request that may carry lots (cost and purchase date) along with transfers between its wallets (decision R11). */
interface CarryRequest extends Statements {
  readonly addresses: readonly string[];
  readonly own_wallets: 'separate' | 'carry';
}

/**
 * Replays the wallets together to find the lots that transfers carry along.
 * @returns undefined if the request does not carry lots
 */
export function ownTransfersOf(request: CarryRequest, dataset: Dataset): OwnTransfers | undefined {
  if (!carriesLots(request)) return undefined;
  const { ownTransfers } = transfersBetween(request, dataset);
  replayTogether({ ...request, ownTransfers }, dataset, ALL_TIME.to);
  return ownTransfers;
}

/** Yields the state of each wallet after a time, YYYY-MM-DD HH:MM:SS, in the order of the request. */
export function* walletsAt(
  request: CarryRequest,
  dataset: Dataset,
  to: string,
): Generator<WalletState, void, undefined> {
  if (carriesLots(request)) {
    const { ownTransfers } = transfersBetween(request, dataset);
    yield* replayTogether({ ...request, ownTransfers }, dataset, to);
  } else {
    for (const address of request.addresses) yield walletAt(request, dataset, address, to);
  }
}

/** Returns the state of a wallet after a time. */
function walletAt(statements: Statements, dataset: Dataset, address: string, to: string): WalletState {
  const begun = stateBeforeDecisions(statements, dataset, address, to);
  const { wallet, rows } = begun ?? openReplay(statements, dataset, address, to);
  while (!rows.next().done);
  return wallet;
}

/** Estimated memory of a kept state, and of each of its lots and sent coins that may be refunded. */
const [STATE_BYTES, LOT_BYTES] = [2000, 250];

/**
 * Opens a replay that begins with the transaction of the first row that a decision changes. The state before it does
 * not depend on decisions, so it is cached.
 * @returns undefined if the replay must begin with the first row: for long wallets, which are not cached, and if opening
 * lots or coins that come home change the first state
 */
function stateBeforeDecisions(statements: Statements, dataset: Dataset, address: string, to: string) {
  const { decisions, method, timezone } = statements;
  if (dataset.rows(address) > SEGMENT_ROWS || lotsOf(address, statements).length > 0) return undefined;
  if (hasReturns(decisions.assets)) return undefined;
  const rows = [...eventsUntil(walletEvents(dataset, address), to)];
  const decided = rows.findIndex((row) => isDecided(decisions, row));
  let first = decided < 0 ? rows.length : decided;
  while (first > 0 && rows[first - 1]!.tx_hash === rows[first]?.tx_hash) first--;
  if (first === 0) return undefined;
  const kept = dataset.once(`state ${address} ${first} ${method} ${timezone}`, () => {
    const { wallet } = openBooks(dataset, address, { ...statements, decisions: noDecisions });
    const replay = replayUnwritten(rows.slice(0, first), noDecisions, wallet);
    while (!replay.next().done);
    return { value: wallet, bytes: STATE_BYTES + LOT_BYTES * (wallet.arrivals + wallet.relieved.size) };
  });
  const wallet = kept.copy();
  return { wallet, rows: replayUnwritten(rows.slice(first), decisions, wallet) };
}

/** Returns the wallets' sends to own places in the order of the request, without refunded ones, after all rows. */
export function sendsAway(request: CarryRequest, dataset: Dataset): readonly AwaySend[] {
  if (!carriesLots(request))
    return request.addresses.flatMap((address) => {
      const away = new Away();
      const { rows } = openReplay({ ...request, away }, dataset, address, ALL_TIME.to);
      while (!rows.next().done);
      return inChainOrder(away.sends);
    });
  const { ownTransfers } = transfersBetween(request, dataset);
  const away = ownTransfers.away ?? new Away(true);
  replayTogether({ ...request, ownTransfers, away }, dataset, ALL_TIME.to);
  const sends = inChainOrder(away.sends);
  return request.addresses.flatMap((address) => sends.filter(({ row }) => row.address === address));
}

const inChainOrder = (sends: readonly AwaySend[]) =>
  sends.toSorted(({ row: a }, { row: b }) => a.height - b.height || a.position - b.position);

function replayTogether(
  request: CarryRequest & { readonly ownTransfers: OwnTransfers },
  dataset: Dataset,
  to: string,
): WalletState[] {
  const replays = request.addresses.map((address) => openReplay(request, dataset, address, to));
  replayJointly(new Map(replays.map(({ wallet, rows }) => [wallet.address, rows])), request.ownTransfers);
  return replays.map(({ wallet }) => wallet);
}

function openReplay(statements: Statements, dataset: Dataset, address: string, to: string) {
  const { wallet } = openBooks(dataset, address, statements);
  const events = eventsUntil(walletEvents(dataset, address), to);
  return { wallet, rows: replayUnwritten(events, statements.decisions, wallet, statements.ownTransfers) };
}

/** Returns the transfers between the wallets if the request does not carry lots along (decision A14). */
export function uncarriedTransfers(request: CarryRequest, dataset: Dataset): readonly PricedEvent[] {
  if (request.own_wallets === 'carry' || request.addresses.length < 2) return [];
  const { rows, ownTransfers } = transfersBetween(request, dataset);
  return rows.filter((row) => ownTransfers.isSent(row));
}

function transfersBetween({ addresses, decisions }: CarryRequest, dataset: Dataset) {
  const wallets = new Set<string | null>(addresses);
  const rows = rowsWhere(addresses, dataset, ({ counterparty }) => wallets.has(counterparty));
  return { rows, ownTransfers: findOwnTransfers(rows, decisions, dataset.reference.rules) };
}

export type Stated = ValidParameters & Statements;

/**
 * Yields the journal entries of the requested period, one wallet after another. Groups entries if the request asks for
 * it.
 */
export function* entriesOfRange(stated: Stated, dataset: Dataset): Generator<Entry, void, undefined> {
  for (const address of stated.addresses) {
    const entries = walletEntries(dataset, address, stated);
    yield* stated.group === '' ? entries : groupEntries(entries, periodsOf(stated, dataset), shortHash);
  }
}

/** Digits of the hash in a group's id. With a day, the id then has 21 characters, the maximum in QuickBooks. */
const HASH_DIGITS = 10;

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);

function* walletEntries(dataset: Dataset, address: string, stated: Stated): Generator<Entry, void, undefined> {
  for (const entry of walletReplay(dataset, address, stated)) if (isInRange(entry.time, stated.range)) yield entry;
}

/** Returns the groups of the request. A group ends at the latest on the last day of period and index. */
export function periodsOf(stated: Stated, dataset: Dataset): Periods {
  const zone = zoneNamed(stated.timezone);
  const [, last] = daysOf(stated, dataset);
  const index = indexDays(dataset, zone);
  const max = last < index.last ? last : index.last;
  const endOf = (day: string) => {
    if (stated.group !== 'month') return day;
    const end = lastOfMonth(day);
    return end < max ? end : max;
  };
  return { endOf, zone };
}
