/**
 * Earnings of each delegation, kept the slow way: every allocation is shared out at once to all that delegate there. No
 * periods and no ratios; the model's own rewards must be this but for what they round.
 */
import { type Coins, each, plus, UNIT } from './decimal.js';

/** Places beyond base units: enough that nothing here rounds visibly. */
const SCALE = 10n ** 40n;

interface Account {
  readonly operator: string;
  /** Base units × SCALE, at the beginning and after slashes. */
  readonly begun: bigint;
  stake: bigint;
  /** Amounts in base units × SCALE by denom. */
  earned: Coins;
  /** Number of times that something was shared out, or cut. */
  steps: bigint;
}

export class SlowAccounts {
  private readonly accounts = new Map<string, Account>();

  private *at(operator: string): Generator<Account> {
    for (const account of this.accounts.values()) if (account.operator === operator) yield account;
  }

  /** A delegation begins anew, with these of the validator's shares. */
  begin(key: string, operator: string, shares: bigint, validator: { tokens: bigint; shares: bigint }): void {
    const stake = (shares * validator.tokens * SCALE) / validator.shares;
    this.accounts.set(key, { operator, begun: stake, stake, earned: new Map(), steps: 0n });
  }

  end(key: string): void {
    this.accounts.delete(key);
  }

  /** @param rewards in 10^-18 base units, for the delegators alone */
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
   * @param periods that have ended since the delegation began
   * @throws Error when rewards (in 10^-18 base units) are not what was earned
   */
  expectEarned(key: string, rewards: Coins, ratio: Coins, periods: number): void {
    const { begun, earned, steps } = this.accounts.get(key)!;
    for (const denom of new Set([...earned.keys(), ...rewards.keys()])) {
      const exact = ((earned.get(denom) ?? 0n) * UNIT) / SCALE;
      const difference = exact - (rewards.get(denom) ?? 0n);
      // At each step 10^-18 of a ratio, of the stake or of a slash's fraction is lost: times the stake, the ratio, or both.
      const bound = (steps + BigInt(periods) + 2n) * (begun / SCALE + 2n) * ((ratio.get(denom) ?? 0n) / UNIT + 2n);
      if (difference > bound || -difference > bound)
        throw new Error(`the model pays ${key} ${difference} of ${exact} too little`);
    }
  }
}
