/** Transfers between wallets of one request may carry lots (cost and purchase date) with them (decision R11). */
import { findOwnTransfers, type OwnTransfers, replayJointly } from '../../../pipeline/ledger/replay.js';
import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import { type Dataset, rowsWhere } from './dataset.js';
import { type Statements, walletReplay } from './wallet-ledger.js';

interface Asked extends Statements {
  readonly addresses: readonly string[];
  readonly own_wallets: 'separate' | 'carry';
}

/** Replays the wallets together to find the lots that transfers carry. @returns undefined if they carry none */
export function ownTransfersOf(asked: Asked, dataset: Dataset): OwnTransfers | undefined {
  const { addresses, own_wallets: ownWallets } = asked;
  if (ownWallets !== 'carry' || addresses.length < 2) return undefined;
  const { ownTransfers } = transfersBetween(asked, dataset);
  const statements = { ...asked, ownTransfers };
  const replays = new Map<string, Iterator<LedgerEntry>>();
  for (const address of addresses) replays.set(address, walletReplay(dataset, address, statements));
  replayJointly(replays, ownTransfers);
  return ownTransfers;
}

/** Returns transfers between the wallets if their lots are not carried along (decision A14). */
export function uncarriedTransfers(asked: Asked, dataset: Dataset): readonly PricedEvent[] {
  if (asked.own_wallets === 'carry' || asked.addresses.length < 2) return [];
  const { rows, ownTransfers } = transfersBetween(asked, dataset);
  return rows.filter((row) => ownTransfers.isSent(row));
}

function transfersBetween({ addresses, decisions }: Asked, dataset: Dataset) {
  const wallets = new Set<string | null>(addresses);
  const rows = rowsWhere(addresses, dataset, ({ counterparty }) => wallets.has(counterparty));
  return { rows, ownTransfers: findOwnTransfers(rows, decisions, dataset.reference.rules) };
}
