/**
 * Unbonding entries and redelegations of a wallet. A slash also takes its fraction of those that began at the height of
 * the validator's fault or later (x/staking Slash, SlashUnbondingDelegation, SlashRedelegation). Amounts are base units.
 */
import type { Slash, StakeAct } from './stake-acts.js';

export interface UnbondingEntry {
  readonly validator: string;
  readonly creationHeight: number;
  /** Amount of which a slash takes its fraction. Cancelling a part reduces it, but a slash does not. */
  readonly initial: bigint;
  readonly balance: bigint;
}

/** A loss of the coins at one validator, which may be the destination of a redelegation. */
export interface Loss {
  readonly validator: string;
  readonly lost: bigint;
}

export interface Liable {
  readonly unbonding: readonly Loss[];
  /** Lost by the delegations at the destinations of redelegations, at most what is left there. */
  readonly redelegated: readonly Loss[];
}

const ONE = 10n ** 18n;

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** Returns what each slash takes from coins that have left the validator, by the slash's act. */
export function liableStakes(
  acts: readonly StakeAct[],
  opening: readonly UnbondingEntry[] = [],
): ReadonlyMap<StakeAct, Liable> {
  const stakes = new LeavingStakes(opening);
  const found = new Map<StakeAct, Liable>();
  for (const act of acts) {
    if (act.kind === 'slash') found.set(act, stakes.slash(act.slash));
    else stakes.apply(act);
  }
  return found;
}

class LeavingStakes {
  private entries: Mutable<UnbondingEntry>[];
  private readonly redelegations: { source: string; destination: string; height: number; initial: bigint }[] = [];

  constructor(opening: readonly UnbondingEntry[]) {
    this.entries = opening.map((entry) => ({ ...entry }));
  }

  apply(act: Exclude<StakeAct, { kind: 'slash' }>): void {
    const { kind, height, validator, amount, source, begun } = act;
    if (kind === 'delegated') {
      if (source !== undefined) this.redelegations.push({ source, destination: validator, height, initial: amount });
    } else if (amount > 0n) this.begin(validator, height, amount);
    else if (begun !== undefined) this.cancel(validator, begun, -amount);
    else this.complete(validator, -amount);
  }

  /** Undelegations of one block are one entry. */
  private begin(validator: string, creationHeight: number, amount: bigint): void {
    const same = this.entryOf(validator, creationHeight);
    if (same) {
      same.initial += amount;
      same.balance += amount;
    } else this.entries.push({ validator, creationHeight, initial: amount, balance: amount });
  }

  private cancel(validator: string, creationHeight: number, amount: bigint): void {
    const entry = this.entryOf(validator, creationHeight);
    if (!entry) return;
    entry.initial -= amount;
    entry.balance -= amount;
    this.removeEmpty();
  }

  /** Removes the oldest entries, which complete first. One row may complete several of them. */
  private complete(validator: string, amount: bigint): void {
    let left = amount;
    for (const entry of this.entries) {
      if (entry.validator !== validator) continue;
      const paid = smaller(left, entry.balance);
      entry.balance -= paid;
      left -= paid;
    }
    this.removeEmpty();
  }

  private removeEmpty(): void {
    this.entries = this.entries.filter(({ balance }) => balance > 0n);
  }

  private entryOf(validator: string, creationHeight: number) {
    return this.entries.find((entry) => entry.validator === validator && entry.creationHeight === creationHeight);
  }

  slash({ validator, infraction, fraction }: Slash): Liable {
    const unbonding: Loss[] = [];
    const redelegated: Loss[] = [];
    const burn = (entry: Mutable<UnbondingEntry>, part: bigint) => {
      const lost = smaller(part, entry.balance);
      entry.balance -= lost;
      if (lost > 0n) unbonding.push({ validator: entry.validator, lost });
      return lost;
    };
    const liableAt = (operator: string) =>
      this.entries.filter((entry) => entry.validator === operator && entry.creationHeight >= infraction);
    for (const entry of liableAt(validator)) burn(entry, (entry.initial * fraction) / ONE);
    for (const { source, destination, height, initial } of this.redelegations) {
      if (source !== validator || height < infraction) continue;
      const due = (initial * fraction) / ONE;
      const left = liableAt(destination).reduce((part, entry) => part - burn(entry, part), due);
      // The chain unbonds the fraction of all redelegated shares, even if entries have paid a part of it.
      if (left > 0n) redelegated.push({ validator: destination, lost: due });
    }
    this.removeEmpty();
    return { unbonding, redelegated };
  }
}
