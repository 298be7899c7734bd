/**
 * Changes of supply: what a block mints and burns by denom, in the bank's own words, beside the coins that accounts received and
 * spent.
 */
import type { SupplyChange } from '../../../schemas/types.generated.js';
import { TOO_LARGE } from '../../ledger/amount.js';
import type { BankEvent } from '../classifier.js';

export class SupplyChanges {
  private readonly changes = new Map<string, SupplyChange>();

  constructor(private readonly height: number) {}

  add(bank: Iterable<BankEvent>): void {
    for (const { type, coins } of bank) {
      if (type !== 'coinbase' && type !== 'burn') continue;
      for (const { denom, amount } of coins) {
        const change = this.changes.get(denom) ?? { height: this.height, denom, minted: 0n, burned: 0n };
        this.changes.set(denom, change);
        change[type === 'coinbase' ? 'minted' : 'burned'] += amount;
      }
    }
  }

  /** Gives the rows in the order in which denoms came first. What transactions together made beyond a column is cut to its most. */
  rows(): SupplyChange[] {
    return [...this.changes.values()].map(({ minted, burned, ...rest }) => {
      return { ...rest, minted: storable(minted), burned: storable(burned) };
    });
  }
}

const storable = (amount: bigint) => (amount < TOO_LARGE ? amount : TOO_LARGE - 1n);
