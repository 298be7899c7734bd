/**
 * Delegations of a validator by delegator. The Hub has about a million, each with a reward ratio per denom. They are
 * stored as packed text and parsed on access; objects would need three times the memory.
 */
import { JournaledMap, type UndoJournal } from './undo-journal.js';
import type { Amounts } from './values/dec-coins.js';
import { firstNumber, packNumbers, unpackNumbers } from './values/packed-numbers.js';

/** Shares, stake and ratio are decimals × 10^18. */
export interface Delegation {
  readonly shares: bigint;
  /** Starting info (SDK x/distribution): previous period, stake, height, and the ratio at that period's end. */
  readonly period: number;
  readonly stake: bigint;
  readonly height: number;
  readonly ratio: Amounts;
}

export class Delegations {
  private readonly packed: JournaledMap<string, string>;

  constructor(journal: UndoJournal) {
    this.packed = new JournaledMap(journal);
  }

  get size(): number {
    return this.packed.size;
  }

  has(delegator: string): boolean {
    return this.packed.has(delegator);
  }

  /** Returns a copy; use `set` to change it. */
  get(delegator: string): Delegation | undefined {
    const text = this.packed.get(delegator);
    return text === undefined ? undefined : unpackDelegation(text);
  }

  set(delegator: string, delegation: Delegation): void {
    this.packed.set(delegator, packDelegation(delegation));
  }

  delete(delegator: string): void {
    this.packed.delete(delegator);
  }

  *[Symbol.iterator](): Generator<[delegator: string, Delegation]> {
    for (const [delegator, text] of this.packed) yield [delegator, unpackDelegation(text)];
  }

  /** Yields only shares; faster than parsing everything. */
  *shares(): Generator<[delegator: string, shares: bigint]> {
    for (const [delegator, text] of this.packed) yield [delegator, firstNumber(text)];
  }

  /** Yields packed texts; ratios are in the state's order of denoms. */
  texts(): IterableIterator<[delegator: string, text: string]> {
    return this.packed.entries();
  }

  setText(delegator: string, text: string): void {
    this.packed.set(delegator, text);
  }
}

export const packDelegation = ({ shares, stake, period, height, ratio }: Delegation): string =>
  packNumbers([shares, stake, BigInt(period), BigInt(height), ...ratio]);

export function unpackDelegation(text: string): Delegation {
  const [shares = 0n, stake = 0n, period = 0n, height = 0n, ...ratio] = unpackNumbers(text);
  return { shares, stake, period: Number(period), height: Number(height), ratio };
}
