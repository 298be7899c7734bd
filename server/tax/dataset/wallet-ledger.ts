/** Replays a wallet's rows with the caller's decisions, by the same code as the nightly run. */

import type { Decisions } from '../../../pipeline/ledger/decisions.js';
import { type OpeningLot, openingEntries } from '../../../pipeline/ledger/opening-lots.js';
import {
  eventsUntil,
  type OwnTransfers,
  openWallet,
  replayUnwritten,
  replayWallet,
  type WalletState,
} from '../../../pipeline/ledger/replay.js';
import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import type { Dataset } from './dataset.js';

/** Statements of the caller about facts that are not on the chain. */
export interface Statements {
  readonly decisions: Decisions;
  readonly openingLots: readonly OpeningLot[];
  readonly ownTransfers?: OwnTransfers | undefined;
}

/** Returns the wallet's lots at the end of a UTC day (YYYY-MM-DD). */
export function walletAt(dataset: Dataset, address: string, statements: Statements, day: string): WalletState {
  const { wallet } = openBooks(dataset, address, statements);
  const events = eventsUntil(walletEvents(dataset, address), day);
  replayUnwritten(events, statements.decisions, wallet, statements.ownTransfers);
  return wallet;
}

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

/** Prepares the replay before the first row. */
export function openBooks(
  dataset: Dataset,
  address: string,
  { openingLots }: Statements,
): { wallet: WalletState; opening: () => readonly LedgerEntry[] } {
  const stated = openingLots.filter((lot) => (lot.address ?? address) === address);
  const wallet = openWallet(dataset.reference.rules, address, dataset.opening(address), stated);
  return { wallet, opening: () => openingEntries(wallet, stated, dataset.indexStart) };
}

export function* walletEvents(dataset: Dataset, address: string): Generator<PricedEvent, void, undefined> {
  for (const segment of dataset.events(address)) yield* segment;
}
