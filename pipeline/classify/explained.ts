/** The check that every row leaves through: the rows of a wallet are exactly what the bank moved. */
import type { ChainFacts, RowDraft } from './classifier.js';

/** Net change by address and denom, in base units. */
export type NetChanges = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** Rows that say what was lost outside the liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * Sums the changes of liquid balances that rows say. Of tokenize_shares and redeem_shares only the share counts: the coin
 * comes from or goes into the delegation.
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
 * Holds the rows of a transaction (or of a block's own events) against its bank events.
 * @throws Error naming the first wallet and denom whose rows are not its coin_received − coin_spent: a fault of a classifier
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
