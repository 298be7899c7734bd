/**
 * Stores a validator's delegations as packed text, because objects need three times the memory. The Hub has about a
 * million delegations.
 */
import { JournaledMap, type UndoJournal } from './undo-journal.js';
import type { Amounts } from './values/decimal18.js';

/** Shares, stake and ratio are decimals × 10^18. */
export interface Delegation {
  readonly shares: bigint;
  /**
   * Number of the last reward period that ended before the delegation began. `ratio` is the cumulative reward per token
   * at the end of this period.
   */
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

  *shares(): Generator<[delegator: string, shares: bigint]> {
    for (const [delegator, text] of this.packed) yield [delegator, packedNumbers.first(text)];
  }

  /** Yields the packed delegations, with ratios in the given order of denoms. */
  *texts(order: readonly number[]): Generator<[delegator: string, text: string]> {
    const isSame = order.every((denom, i) => denom === i);
    for (const [delegator, text] of this.packed) yield [delegator, isSame ? text : reordered(text, order)];
  }

  setText(delegator: string, text: string): void {
    this.packed.set(delegator, text);
  }
}

const packDelegation = ({ shares, stake, period, height, ratio }: Delegation): string =>
  packedNumbers.pack([shares, stake, BigInt(period), BigInt(height), ...ratio]);

function unpackDelegation(text: string): Delegation {
  const [shares = 0n, stake = 0n, period = 0n, height = 0n, ...ratio] = packedNumbers.unpack(text);
  return { shares, stake, period: Number(period), height: Number(height), ratio };
}

function reordered(text: string, order: readonly number[]): string {
  const { ratio, ...rest } = unpackDelegation(text);
  return packDelegation({ ...rest, ratio: order.map((denom) => ratio[denom] ?? 0n) });
}

/** Number base for packing. A power of two, so that V8 converts bigints without divisions. */
const BASE = 32;
const BITS_A_DIGIT = 5;
const DIGITS_AT_A_TIME = 10;
const BITS_AT_A_TIME = BigInt(BITS_A_DIGIT * DIGITS_AT_A_TIME);

const ZEROS = '-';

/**
 * Packs numbers ≥ 0 in base 32, separated by commas. A run of zeros is packed as its length ('-3' for three zeros),
 * because most reward ratios are zero.
 */
export const packedNumbers = {
  pack(numbers: readonly bigint[]): string {
    const texts: string[] = [];
    let zeros = 0;
    for (const number of numbers) {
      if (number === 0n) zeros++;
      else {
        if (zeros > 0) texts.push(ZEROS + zeros.toString(BASE));
        texts.push(number.toString(BASE));
        zeros = 0;
      }
    }
    return texts.join();
  },

  unpack(text: string): bigint[] {
    const numbers: bigint[] = [];
    if (text === '') return numbers;
    for (const one of text.split(',')) {
      if (!one.startsWith(ZEROS)) numbers.push(unpackNumber(one));
      else for (let left = Number.parseInt(one.slice(1), BASE); left > 0; left--) numbers.push(0n);
    }
    return numbers;
  },

  /** Unpacks only the first number. */
  first(text: string): bigint {
    if (text.startsWith(ZEROS)) return 0n;
    const end = text.indexOf(',');
    return unpackNumber(end < 0 ? text : text.slice(0, end));
  },
};

function unpackNumber(text: string): bigint {
  if (text.length <= DIGITS_AT_A_TIME) return BigInt(Number.parseInt(text, BASE));
  const cut = text.length - DIGITS_AT_A_TIME;
  const low = BigInt(Number.parseInt(text.slice(cut), BASE));
  return (unpackNumber(text.slice(0, cut)) << BITS_AT_A_TIME) | low;
}
