/**
 * Computes the stakes of a wallet from its own rows. For a slash, it subtracts the chain's fraction from the wallet's
 * stake at the validator. Amounts are base units.
 */
import { type EvenValidators, exactStakes, type StakePoint } from './exact-stakes.js';
import { type Liable, liableStakes, type UnbondingEntry } from './liable-stakes.js';
import type { Slash, StakeAct } from './stake-acts.js';

export interface SlashLossOf {
  readonly slash: Slash;
  readonly delegated: bigint;
  readonly unbonding: bigint;
  readonly redelegated: bigint;
}

type Stakes = ReadonlyMap<string, bigint>;
type Liabilities = ReadonlyMap<StakeAct, Liable>;

export interface StakeDifference {
  readonly validator: string;
  readonly kind: 'delegated' | 'unbonding';
  /** Stake computed from the rows. */
  readonly rows: bigint;
  readonly node: bigint;
}

export interface FollowedStakes {
  /** Stakes before the index, from a node. If no node has them, they are computed back from the closing stakes. */
  readonly opening: { readonly delegated: Stakes; readonly unbonding: Stakes };
  readonly losses: readonly SlashLossOf[];
  /** Stakes in which rows and node differ by more than rounding. */
  readonly differences: readonly StakeDifference[];
  /** Stakes after each block that changed them; empty without closing stakes. */
  readonly points: readonly StakePoint[];
}

export interface KnownStakes {
  readonly delegated: Stakes;
  readonly unbonding: Stakes;
  /** The entries of `unbonding`, if known. */
  readonly entries?: readonly UnbondingEntry[];
}

const NOTHING: KnownStakes = { delegated: new Map(), unbonding: new Map() };

const ONE = 10n ** 18n;
/**
 * The chain truncates each delegation, and the remainder stays with the validator. A share can therefore gain about one
 * base unit for each 1,000 coins. A computed slash loss is exact to a few base units for each 1,000 coins.
 */
const ROUNDING_PER_ACT = 1n;
const ROUNDED_COINS = 1_000_000_000n;
const UNITS_PER_SLASH = 4n;

/**
 * Computes opening stakes, slash losses, and differences from the closing stakes that a node reports.
 * @param acts changes in chain order; slashes only of validators at which the wallet has stake
 * @param opening stakes before all acts
 * @param first first height of the index
 * @param even validators at whose rate no act is rounded
 */
export function followStakes(
  acts: readonly StakeAct[],
  opening: KnownStakes | undefined,
  closing: KnownStakes | undefined,
  first = 0,
  even: EvenValidators = NONE_EVEN,
): FollowedStakes {
  const liable = liableStakes(acts, opening?.entries);
  const start = opening ?? (closing ? walkBack(acts, liable, closing) : NOTHING);
  const walked = walk(acts, liable, start);
  const refinedLosses = opening && closing ? refined(acts, walked, closing.delegated) : walked.losses;
  const losses = closing ? withoutRemains(acts, refinedLosses, closing.delegated) : refinedLosses;
  const differences: StakeDifference[] = [];
  const mostOf = (validator: string) =>
    [walked.most, closing?.delegated, closing?.unbonding]
      .map((stakes) => stakes?.get(validator) ?? 0n)
      .reduce((most, stake) => (stake > most ? stake : most), 0n);
  if (closing) {
    for (const kind of ['delegated', 'unbonding'] as const) {
      const ends = kind === 'delegated' && opening ? walkWith(acts, liable, start.delegated, losses) : walked[kind];
      for (const validator of new Set([...ends.keys(), ...closing[kind].keys()])) {
        const [rows, node] = [ends.get(validator) ?? 0n, closing[kind].get(validator) ?? 0n];
        if (magnitude(rows - node) > roundingOf(acts, validator, mostOf(validator)))
          differences.push({ validator, kind, rows, node });
      }
    }
  }
  const before = walk(
    acts.filter(({ height }) => height < first),
    liable,
    start,
  );
  return {
    opening: {
      delegated: opening ? before.delegated : withoutRounding(before.delegated, acts, mostOf),
      unbonding: opening ? before.unbonding : withoutRounding(before.unbonding, acts, mostOf),
    },
    losses: losses.filter(
      ({ slash, delegated, unbonding, redelegated }) =>
        slash.height >= first && delegated + unbonding + redelegated > 0n,
    ),
    differences,
    points: closing ? exactStakes({ acts, liable, start, closing, even, first }) : [],
  };
}

const NONE_EVEN: EvenValidators = { before: undefined, after: new Set() };

const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);

const isOf = (act: StakeAct, validator: string) =>
  act.kind === 'slash' ? act.slash.validator === validator : act.validator === validator || act.source === validator;

/**
 * Returns the largest difference that rounding can cause.
 * @param most the wallet's largest stake at the validator
 */
function roundingOf(acts: readonly StakeAct[], validator: string, most: bigint): bigint {
  const actsAtValidator = acts.filter((act) => isOf(act, validator));
  const slashes = BigInt(actsAtValidator.filter(({ kind }) => kind === 'slash').length);
  const ofStake = ((1n + UNITS_PER_SLASH * slashes) * most) / ROUNDED_COINS;
  return 1n + BigInt(actsAtValidator.length) * ROUNDING_PER_ACT + 2n * slashes + ofStake;
}

/** Drops computed opening stakes of a few base units, because these come from rounding. */
function withoutRounding(stakes: Stakes, acts: readonly StakeAct[], mostOf: (validator: string) => bigint): Stakes {
  return new Map(
    [...stakes].filter(([validator, amount]) => magnitude(amount) > roundingOf(acts, validator, mostOf(validator))),
  );
}

const add = (stakes: Map<string, bigint>, validator: string, amount: bigint) =>
  stakes.set(validator, (stakes.get(validator) ?? 0n) + amount);

/**
 * Returns the stake before a slash. The chain truncates the remaining stake, so the loss is rounded up.
 * @param after the remaining stake
 */
export function beforeSlash(after: bigint, { ofDelegations }: Slash): bigint {
  if (ofDelegations >= ONE) return after;
  return (after * ONE + ONE - ofDelegations - 1n) / (ONE - ofDelegations);
}

/** Computes back the stakes before all acts from the closing stakes. */
function walkBack(acts: readonly StakeAct[], liable: Liabilities, closing: KnownStakes): KnownStakes {
  const delegated = new Map(closing.delegated);
  const unbonding = new Map(closing.unbonding);
  for (let i = acts.length - 1; i >= 0; i--) {
    const act = acts[i]!;
    if (act.kind === 'slash') {
      const { validator } = act.slash;
      const after = delegated.get(validator) ?? 0n;
      if (after > 0n) delegated.set(validator, beforeSlash(after, act.slash));
      const of = liable.get(act)!;
      for (const one of of.redelegated)
        if ((delegated.get(one.validator) ?? 0n) > 0n) add(delegated, one.validator, one.lost);
      for (const one of of.unbonding) add(unbonding, one.validator, one.lost);
    } else {
      add(act.kind === 'delegated' ? delegated : unbonding, act.validator, -act.amount);
      if (act.source !== undefined) add(delegated, act.source, act.amount);
    }
  }
  return { delegated, unbonding };
}

interface Walked {
  readonly delegated: Map<string, bigint>;
  readonly unbonding: Map<string, bigint>;
  readonly losses: SlashLossOf[];
  /** Largest delegation at each validator. */
  readonly most: Map<string, bigint>;
}

function walk(acts: readonly StakeAct[], liable: Liabilities, opening: KnownStakes): Walked {
  const delegated = new Map(opening.delegated);
  const unbonding = new Map(opening.unbonding);
  const losses: SlashLossOf[] = [];
  const most = new Map(delegated);
  for (const [i, act] of acts.entries()) {
    if (act.kind !== 'slash') {
      add(act.kind === 'delegated' ? delegated : unbonding, act.validator, act.amount);
      if (act.source !== undefined) add(delegated, act.source, -act.amount);
      const held = delegated.get(act.validator) ?? 0n;
      if (held > (most.get(act.validator) ?? 0n)) most.set(act.validator, held);
    } else {
      const { slash } = act;
      const { validator } = slash;
      const held = delegated.get(validator) ?? 0n;
      const isLost = held > 0n && !isRemainder(acts.slice(0, i), validator, held);
      const ofDelegation = isLost ? (held * slash.ofDelegations + ONE - 1n) / ONE : 0n;
      const of = liable.get(act)!;
      const redelegated = of.redelegated.map(({ validator: destination, lost }) => {
        const left = delegated.get(destination) ?? 0n;
        const taken = left < lost ? (left > 0n ? left : 0n) : lost;
        add(delegated, destination, -taken);
        return taken;
      });
      add(delegated, validator, -ofDelegation);
      for (const one of of.unbonding) add(unbonding, one.validator, -one.lost);
      losses.push({
        slash,
        delegated: ofDelegation,
        unbonding: total(of.unbonding.map(({ lost }) => lost)),
        redelegated: total(redelegated),
      });
    }
  }
  return { delegated, unbonding, losses, most };
}

/** Returns true if a delegation has ended and `held` is only the rounding of its acts. */
function isRemainder(before: readonly StakeAct[], validator: string, held: bigint): boolean {
  const actsAtValidator = before.filter((act) => act.kind === 'delegated' && isOf(act, validator));
  const last = actsAtValidator.at(-1);
  if (last?.kind !== 'delegated' || held >= BigInt(actsAtValidator.length)) return false;
  return last.source === validator || last.amount < 0n;
}

/**
 * Replaces a computed loss by the exact loss, which follows from the closing stake. This is possible only if the
 * validator was slashed once and the difference is small.
 */
function refined(acts: readonly StakeAct[], { delegated, losses }: Walked, closing: Stakes): SlashLossOf[] {
  return losses.map((loss) => {
    const { validator } = loss.slash;
    if (losses.filter(({ slash }) => slash.validator === validator).length > 1) return loss;
    const surplus = (delegated.get(validator) ?? 0n) - (closing.get(validator) ?? 0n);
    const isSmall = magnitude(surplus) * 1000n <= loss.delegated + 2000n * BigInt(acts.length);
    const corrected = loss.delegated + surplus;
    return isSmall && loss.delegated > 0n && corrected > 0n ? { ...loss, delegated: corrected } : loss;
  });
}

/**
 * Sets the loss to 0 if the delegation had ended before the slash. Because earlier losses are inexact, the rows may
 * still show a few units of such a delegation.
 */
function withoutRemains(acts: readonly StakeAct[], losses: readonly SlashLossOf[], closing: Stakes): SlashLossOf[] {
  const isEnded = ({ height, validator }: Slash) =>
    (closing.get(validator) ?? 0n) === 0n &&
    acts.some((act) => act.kind === 'slash' && act.height < height && isOf(act, validator)) &&
    !acts.some((act) => act.kind !== 'slash' && act.height >= height && isOf(act, validator));
  return losses.map((loss) => (isEnded(loss.slash) ? { ...loss, delegated: 0n } : loss));
}

/** Returns the closing delegations, computed with `losses` instead of the slashes' fractions. */
function walkWith(
  acts: readonly StakeAct[],
  liable: Liabilities,
  opening: Stakes,
  losses: readonly SlashLossOf[],
): Stakes {
  const { delegated, losses: before } = walk(acts, liable, { delegated: opening, unbonding: new Map() });
  for (const [i, loss] of losses.entries()) {
    add(delegated, loss.slash.validator, (before[i]?.delegated ?? 0n) - loss.delegated);
  }
  return delegated;
}
