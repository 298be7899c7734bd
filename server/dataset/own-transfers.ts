/** The transfers between the wallets of a request, with the lots that travel by them (decision R11). */
import { replayJointly } from '../../pipeline/ledger/carry/joint-replay.js';
import { findOwnTransfers, type OwnTransfers } from '../../pipeline/ledger/carry/own-transfers.js';
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { inTurns } from '../http/event-loop.js';
import type { Dataset } from './dataset.js';
import { type Statements, walletReplay } from './wallet-ledger.js';

/** The wallets of a request, and what its caller says of them. */
interface Asked extends Statements {
  readonly addresses: readonly string[];
  readonly ownWallets: 'separate' | 'carry';
}

/** Finds them, and replays the wallets together to know their lots; undefined where the request carries none. */
export async function ownTransfersOf(asked: Asked, dataset: Dataset): Promise<OwnTransfers | undefined> {
  const { addresses, ownWallets, decisions } = asked;
  if (ownWallets !== 'carry' || addresses.length < 2) return undefined;
  const between = await inTurns(rowsBetween(addresses, dataset));
  const ownTransfers = findOwnTransfers(between, decisions, dataset.reference.rules);
  const statements = { ...asked, ownTransfers };
  const replays = addresses.map((address): [string, Iterator<LedgerEntry>] => [
    address,
    walletReplay(dataset, address, statements).entries,
  ]);
  await inTurns(replayJointly(new Map(replays), ownTransfers));
  return ownTransfers;
}

/** Finds the rows that sent coins from one wallet to another without their lots, none where the request carries them (decision A14). */
export async function uncarriedTransfers(asked: Asked, dataset: Dataset): Promise<readonly PricedEvent[]> {
  const { addresses, ownWallets, decisions } = asked;
  if (ownWallets === 'carry' || addresses.length < 2) return [];
  const between = await inTurns(rowsBetween(addresses, dataset));
  const ownTransfers = findOwnTransfers(between, decisions, dataset.reference.rules);
  return between.filter((row) => ownTransfers.isSent(row));
}

/** The rows whose counterparty is another of the wallets; stops after each segment. */
function* rowsBetween(addresses: readonly string[], dataset: Dataset): Generator<undefined, PricedEvent[], undefined> {
  const wallets = new Set(addresses);
  const between: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const event of segment)
        if (event.counterparty !== null && wallets.has(event.counterparty)) between.push(event);
      yield;
    }
  }
  return between;
}
