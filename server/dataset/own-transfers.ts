/** The transfers between the wallets of a request, with the lots that travel by them (decision R11). */
import { replayJointly } from '../../pipeline/ledger/carry/joint-replay.js';
import { findOwnTransfers, type OwnTransfers } from '../../pipeline/ledger/carry/own-transfers.js';
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { inTurns } from '../http/event-loop.js';
import { type Dataset, rowsWhere } from './dataset.js';
import { type Statements, walletReplay } from './wallet-ledger.js';

/** The wallets of a request, and what its caller says of them. */
interface Asked extends Statements {
  readonly addresses: readonly string[];
  readonly ownWallets: 'separate' | 'carry';
}

/** Finds them, and replays the wallets together to know their lots; undefined where the request carries none. */
export async function ownTransfersOf(asked: Asked, dataset: Dataset): Promise<OwnTransfers | undefined> {
  const { addresses, ownWallets } = asked;
  if (ownWallets !== 'carry' || addresses.length < 2) return undefined;
  const { ownTransfers } = await transfersBetween(asked, dataset);
  const statements = { ...asked, ownTransfers };
  const replays = new Map<string, Iterator<LedgerEntry>>();
  for (const address of addresses) replays.set(address, walletReplay(dataset, address, statements));
  await inTurns(replayJointly(replays, ownTransfers));
  return ownTransfers;
}

/** Finds the rows that sent coins from one wallet to another without their lots, none where the request carries them (decision A14). */
export async function uncarriedTransfers(asked: Asked, dataset: Dataset): Promise<readonly PricedEvent[]> {
  if (asked.ownWallets === 'carry' || asked.addresses.length < 2) return [];
  const { rows, ownTransfers } = await transfersBetween(asked, dataset);
  return rows.filter((row) => ownTransfers.isSent(row));
}

/** Finds the transfers among the rows whose counterparty is another of the wallets. */
async function transfersBetween({ addresses, decisions }: Asked, dataset: Dataset) {
  const wallets = new Set<string | null>(addresses);
  const rows = await inTurns(rowsWhere(addresses, dataset, ({ counterparty }) => wallets.has(counterparty)));
  return { rows, ownTransfers: findOwnTransfers(rows, decisions, dataset.reference.rules) };
}
