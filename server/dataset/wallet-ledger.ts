/** The wallet ledger: a wallet's books for one request, by the night's own replay of its stored rows with the caller's decisions. */
import type { OwnTransfers } from '../../pipeline/ledger/carry/own-transfers.js';
import type { Decisions } from '../../pipeline/ledger/decisions/decisions.js';
import { type OpeningLot, openingEntries } from '../../pipeline/ledger/opening/opening-lots.js';
import {
  eventsUntil,
  openWallet,
  replayUnwritten,
  replayWallet,
  type WalletState,
} from '../../pipeline/ledger/replay.js';
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { inTurns } from '../http/event-loop.js';
import type { Dataset } from './dataset.js';

/** Entries of a batch, which are made and written in about a millisecond. */
const BATCH_ENTRIES = 100;

/** Statements of a caller beside the chain. */
export interface Statements {
  readonly decisions: Decisions;
  readonly openingLots: readonly OpeningLot[];
  /** Transfers between the wallets whose lots travel; undefined: none do. */
  readonly ownTransfers?: OwnTransfers | undefined;
}

/** The entries of a wallet from its first row on, in batches, so that a long replay leaves others their turn. */
export const walletEntries = (dataset: Dataset, address: string, statements: Statements) =>
  batchesOf(walletReplay(dataset, address, statements), BATCH_ENTRIES);

/**
 * The books of a wallet at the end of a UTC day, YYYY-MM-DD, with the lots that are open then. A long replay leaves other requests
 * their turn.
 */
export async function walletAt(
  dataset: Dataset,
  address: string,
  statements: Statements,
  day: string,
): Promise<WalletState> {
  const { wallet } = openBooks(dataset, address, statements);
  const events = eventsUntil(walletEvents(dataset, address), day);
  await inTurns(replayUnwritten(events, statements.decisions, wallet, statements.ownTransfers));
  return wallet;
}

/** Replays a wallet entry by entry: what reads it decides how far. */
export function* walletReplay(
  dataset: Dataset,
  address: string,
  statements: Statements,
): Generator<LedgerEntry, void, undefined> {
  const { wallet, opening } = openBooks(dataset, address, statements);
  const { decisions, ownTransfers } = statements;
  yield* opening();
  yield* replayWallet(walletEvents(dataset, address), decisions, wallet, ownTransfers);
}

/** Opens the books of a wallet before its first row; the opening lots that its owner states have entries of their own. */
export function openBooks(
  dataset: Dataset,
  address: string,
  { openingLots }: Statements,
): { wallet: WalletState; opening: () => readonly LedgerEntry[] } {
  const stated = openingLots.filter((lot) => (lot.address ?? address) === address);
  const wallet = openWallet(dataset.reference.rules, address, dataset.opening(address), stated);
  return { wallet, opening: () => openingEntries(wallet, stated, dataset.indexStart) };
}

/** A wallet's rows, one by one. */
export function* walletEvents(dataset: Dataset, address: string): Generator<PricedEvent, void, undefined> {
  for (const segment of dataset.events(address)) yield* segment;
}

/** Cuts items into batches, of which the last may be empty. */
export function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[], void, undefined> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
