/** Finds transfers between a request's wallets, and the lots that they carry (decision R11). */
import { findOwnTransfers, type OwnTransfers, replayJointly } from '../../../pipeline/ledger/replay.js';
import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import { type Dataset, rowsWhere } from './dataset.js';
import { type Statements, walletReplay } from './wallet-ledger.js';

interface Asked extends Statements {
  readonly addresses: readonly string[];
  readonly own_wallets: 'separate' | 'carry';
}

/** Finds transfers and replays the wallets jointly to find their lots; undefined if the request carries no lots. */
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

/** Finds transfers between the wallets that do not carry their lots; empty if the request carries lots (decision A14). */
export function uncarriedTransfers(asked: Asked, dataset: Dataset): readonly PricedEvent[] {
  if (asked.own_wallets === 'carry' || asked.addresses.length < 2) return [];
  const { rows, ownTransfers } = transfersBetween(asked, dataset);
  return rows.filter((row) => ownTransfers.isSent(row));
}

/** Finds transfers by rows whose counterparty is another of the wallets. */
function transfersBetween({ addresses, decisions }: Asked, dataset: Dataset) {
  const wallets = new Set<string | null>(addresses);
  const rows = rowsWhere(addresses, dataset, ({ counterparty }) => wallets.has(counterparty));
  return { rows, ownTransfers: findOwnTransfers(rows, decisions, dataset.reference.rules) };
}
