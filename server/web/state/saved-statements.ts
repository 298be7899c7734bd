/** Statements that are saved with the account: decisions and opening lots, wallet by wallet. Tags are never stored by the service. */
import type { SavedDecisions, SavedOpeningLots } from '../../../schemas/types.generated.js';
import { get, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { account, forgetAccount, isKnown, isOver } from './account.js';
import { type AssetDecision, type OpeningLot, type Statements, statements } from './statements.js';

/** Texts of what the account has, by path. */
const saved = new Map<string, string>();

/**
 * Brings statements and account together before figures are asked for: what the account has is taken over once, and what is stated here
 * is saved. @returns false where statements were taken over, which asks for the figures anew
 * @throws Refusal
 */
export async function keepWithAccount(addresses: readonly string[], stated: Statements): Promise<boolean> {
  await isKnown;
  if (!account.peek()) return true;
  try {
    return await keep(addresses, stated);
  } catch (error) {
    if (!isOver(error)) throw error;
    forgetAccount(); // signed out elsewhere: what is stated stays in this browser
    return true;
  }
}

async function keep(addresses: readonly string[], stated: Statements): Promise<boolean> {
  const unread = addresses.filter((address) => !saved.has(PATHS.savedDecisions(address)));
  if (unread.length > 0 && (await takeOver(unread, stated))) return false;
  for (const address of addresses) {
    const lots = stated.openingLots.filter((lot) => lot.address === address).map(({ address: _, ...lot }) => lot);
    await save(PATHS.savedDecisions(address), { decisions: stated.decisions });
    await save(PATHS.savedLots(address), { opening_lots: lots });
  }
  return true;
}

/** Adds what the account has and this browser has not. @returns whether there was anything */
async function takeOver(addresses: readonly string[], stated: Statements): Promise<boolean> {
  let { decisions, openingLots } = stated;
  for (const address of addresses) {
    const [given, lots] = await Promise.all([
      get<SavedDecisions>(PATHS.savedDecisions(address)),
      get<SavedOpeningLots>(PATHS.savedLots(address)),
    ]);
    decisions = { ...(given.decisions as Record<string, unknown> as Record<string, AssetDecision>), ...decisions };
    const own = lots.opening_lots as unknown as Omit<OpeningLot, 'address'>[];
    const isStated = openingLots.some((lot) => lot.address === address);
    if (!isStated) openingLots = [...openingLots, ...own.map((lot) => ({ ...lot, address }))];
    saved.set(PATHS.savedDecisions(address), '');
  }
  const count = (one: Pick<Statements, 'decisions' | 'openingLots'>) =>
    Object.keys(one.decisions).length + one.openingLots.length;
  if (count({ decisions, openingLots }) === count(stated)) return false;
  statements.value = { ...stated, decisions, openingLots };
  return true;
}

async function save(path: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  if (saved.get(path) === text) return;
  await send('PUT', path, body);
  saved.set(path, text);
}
