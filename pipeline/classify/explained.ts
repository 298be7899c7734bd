/** Checks that a wallet's rows add up to exactly what the bank moved. */
import type { ChainFacts, RowDraft } from './classifier.js';

/** Net change by address and denom, in base units. */
export type NetChanges = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** Categories of losses outside the liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * Sums the rows' changes of liquid balances. For tokenize_shares and redeem_shares only the share token counts: the
 * native coin leaves or enters the delegation.
 */
export function liquidChanges(rows: readonly RowDraft[]): NetChanges {
  const changes = new Map<string, Map<string, bigint>>();
  for (const { address, category, sent, received, fee } of rows) {
    if (NOT_LIQUID.has(category)) continue;
    const ofAddress = changes.get(address) ?? new Map<string, bigint>();
    changes.set(address, ofAddress);
    const add = (denom: string, amount: bigint) => ofAddress.set(denom, (ofAddress.get(denom) ?? 0n) + amount);
    if (sent && category !== 'tokenize_shares') add(sent.denom, -sent.amount);
    if (received && category !== 'redeem_shares') add(received.denom, received.amount);
    if (fee) add(fee.denom, -fee.amount);
  }
  return changes;
}

/**
 * Compares the rows of a transaction (or block) with its bank events.
 * @throws Error with the first wallet and denom that differ (a classifier bug)
 */
export function assertExplained(place: string, moved: NetChanges, rows: readonly RowDraft[], chain: ChainFacts): void {
  const said = liquidChanges(rows);
  const compare = (address: string, denom: string) => {
    const difference = (moved.get(address)?.get(denom) ?? 0n) - (said.get(address)?.get(denom) ?? 0n);
    if (difference !== 0n)
      throw new Error(`${place}: rows and bank events differ by ${difference} for ${address} ${denom}`);
  };
  for (const [address, denoms] of moved) {
    if (chain.isWallet(address)) for (const denom of denoms.keys()) compare(address, denom);
  }
  for (const [address, denoms] of said) for (const denom of denoms.keys()) compare(address, denom);
}
