/**
 * The delegations of a validator by delegator. There are a million of them in all, and each has a ratio of as many denoms as ever paid
 * rewards: so each is one text, as it stands in a checkpoint, and is read when somebody touches it. As objects they would take three
 * times as much memory.
 */
import { JournaledMap, type UndoJournal } from './undo-journal.js';
import type { Amounts } from './values/dec-coins.js';
import { firstNumber, packNumbers, unpackNumbers } from './values/packed-numbers.js';

/** Shares, stake and ratio are decimals × 10^18. */
export interface Delegation {
  readonly shares: bigint;
  /** Starting info: the ended period before it, the tokens then, the height, and the ratio that ended the period. */
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

  /** A copy of the delegation: what changes it is `set`. */
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

  /** Lists the shares alone, which are read faster. */
  *shares(): Generator<[delegator: string, shares: bigint]> {
    for (const [delegator, text] of this.packed) yield [delegator, firstNumber(text)];
  }

  /** Lists the delegations as texts. Numbers of their ratios stand in the order in which the state numbers denoms. */
  texts(): IterableIterator<[delegator: string, text: string]> {
    return this.packed.entries();
  }

  /** Takes a delegation as a text that `texts` gave. */
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
