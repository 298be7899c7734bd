/**
 * Forgetting what is saved with the account. This browser has a copy, which the report would save again: it is forgotten along with it.
 */
import type { SavedDecisions, SavedOpeningLots } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { decide, forgetStatements, stateLots, statements } from './statements.js';

/** Forgets all that is saved about a wallet. @throws Refusal */
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

/** Forgets one decision of those about a wallet. @throws Refusal */
export async function forgetDecision({ address, decisions, etag }: SavedDecisions, key: string): Promise<void> {
  const { [key]: _, ...others } = decisions;
  await send('PUT', PATHS.savedDecisions(address), { decisions: others }, etag);
  decide([{ address, id: key }], undefined);
}

/** Forgets one opening lot of those of a wallet. @throws Refusal */
export async function forgetLot({ address, opening_lots, etag }: SavedOpeningLots, index: number): Promise<void> {
  const others = opening_lots.filter((_, i) => i !== index);
  await send('PUT', PATHS.savedLots(address), { opening_lots: others }, etag);
  const elsewhere = statements.peek().openingLots.filter((lot) => lot.address !== address);
  stateLots([...elsewhere, ...others.map((lot) => ({ ...lot, address }))]);
}

/** Forgets all that is saved, and all that this browser keeps. @throws Refusal */
export async function forgetAll(): Promise<void> {
  await send('DELETE', PATHS.saved);
  forgetStatements();
}
