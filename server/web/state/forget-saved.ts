/** Deletes saved entries from the account and from this browser; otherwise the browser's copy would be saved again. */
import type { SavedDecisions, SavedOpeningLots } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { decide, forgetStatements, stateLots, statements } from './statements.js';

export async function forgetWallet(address: string): Promise<void> {
  await send('DELETE', PATHS.savedDecisions(address));
  await send('DELETE', PATHS.savedLots(address));
  const decided = Object.keys(statements.peek().decisions[address] ?? {});
  decide(
    decided.map((id) => ({ address, id })),
    undefined,
  );
  stateLots(statements.peek().openingLots.filter((lot) => lot.address !== address));
}

export async function forgetDecision({ address, decisions, etag }: SavedDecisions, key: string): Promise<void> {
  const { [key]: _, ...others } = decisions;
  await send('PUT', PATHS.savedDecisions(address), { decisions: others }, etag);
  decide([{ address, id: key }], undefined);
}

export async function forgetLot({ address, opening_lots, etag }: SavedOpeningLots, index: number): Promise<void> {
  const others = opening_lots.filter((_, i) => i !== index);
  await send('PUT', PATHS.savedLots(address), { opening_lots: others }, etag);
  const elsewhere = statements.peek().openingLots.filter((lot) => lot.address !== address);
  stateLots([...elsewhere, ...others.map((lot) => ({ ...lot, address }))]);
}

/** Deletes all saved entries, and everything that this browser keeps. @throws ApiError */
export async function forgetAll(): Promise<void> {
  await send('DELETE', PATHS.saved);
  forgetStatements();
}
