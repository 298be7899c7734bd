/**
 * Earnings of each delegation without periods or ratios: each allocation is distributed at once. The model's rewards must
 * be equal except for rounding.
 */
import { type Coins, each, plus, UNIT } from './decimal.js';

/** Enough places to avoid visible rounding. */
const SCALE = 10n ** 40n;

interface Account {
  readonly operator: string;
  /** Base units × SCALE, at the start and after slashes. */
  readonly begun: bigint;
  stake: bigint;
  /** Amounts in base units × SCALE by denom. */
  earned: Coins;
  /** Number of allocations and slashes. */
  steps: bigint;
}

export class SlowAccounts {
  private readonly accounts = new Map<string, Account>();

  private *at(operator: string): Generator<Account> {
    for (const account of this.accounts.values()) if (account.operator === operator) yield account;
  }

  /** Starts a delegation again with these shares. */
  begin(key: string, operator: string, shares: bigint, validator: { tokens: bigint; shares: bigint }): void {
    const stake = (shares * validator.tokens * SCALE) / validator.shares;
    this.accounts.set(key, { operator, begun: stake, stake, earned: new Map(), steps: 0n });
  }

  end(key: string): void {
    this.accounts.delete(key);
  }

  /** @param rewards for delegators, in 10^-18 base units */
  allocate(operator: string, rewards: Coins, tokens: bigint): void {
    if (tokens === 0n) return;
    for (const account of this.at(operator)) {
      account.earned = plus(
        account.earned,
        each(rewards, (amount) => (amount * account.stake) / tokens / UNIT),
      );
      account.steps += 1n;
    }
  }

  slash(operator: string, burned: bigint, tokens: bigint): void {
    for (const account of this.at(operator)) {
      account.stake = (account.stake * (tokens - burned)) / tokens;
      account.steps += 1n;
    }
  }

  /**
   * @param periods ended since the delegation began
   * @throws Error if rewards (in 10^-18 base units) differ from the earnings
   */
  expectEarned(key: string, rewards: Coins, ratio: Coins, periods: number): void {
    const { begun, earned, steps } = this.accounts.get(key)!;
    for (const denom of new Set([...earned.keys(), ...rewards.keys()])) {
      const exact = ((earned.get(denom) ?? 0n) * UNIT) / SCALE;
      const difference = exact - (rewards.get(denom) ?? 0n);
      // Each step loses 10^-18 of a ratio, the stake or a fraction, multiplied by the stake, the ratio, or both.
      const bound = (steps + BigInt(periods) + 2n) * (begun / SCALE + 2n) * ((ratio.get(denom) ?? 0n) / UNIT + 2n);
      if (difference > bound || -difference > bound)
        throw new Error(`the model pays ${key} ${difference} of ${exact} too little`);
    }
  }
}
