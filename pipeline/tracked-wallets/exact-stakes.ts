/**
 * Computes a wallet's staked and unbonding coins after each block, where rows give them to the base unit. A delegation to
 * a validator that was slashed changes by rounding when others act, so only the chain knows its exact amount.
 */
import type { Liable } from './liable-stakes.js';
import type { StakeAct } from './stake-acts.js';

/** Base units after a block and until the next point; null if they are known only up to rounding. */
export interface StakePoint {
  readonly height: number;
  readonly staked: bigint | null;
  readonly unbonding: bigint | null;
}

type Stakes = ReadonlyMap<string, bigint>;

interface BothStakes {
  readonly delegated: Stakes;
  readonly unbonding: Stakes;
}

/** Validators whose tokens and shares are equal. At such a rate, no act is rounded. */
export interface EvenValidators {
  /** Undefined if the state before the first act is unknown. */
  readonly before: ReadonlySet<string> | undefined;
  readonly after: ReadonlySet<string>;
}

export interface StakeHistory {
  readonly acts: readonly StakeAct[];
  readonly liable: ReadonlyMap<StakeAct, Liable>;
  /** Stakes before all acts. */
  readonly start: BothStakes;
  readonly closing: BothStakes;
  readonly even: EvenValidators;
  /** First height of the index. */
  readonly first: number;
}

type Kind = keyof BothStakes;

/** The stake at one validator. */
interface Account {
  readonly start: bigint;
  readonly end: bigint;
  readonly changes: { readonly height: number; readonly amount: bigint; readonly source?: string | undefined }[];
  /** Heights of slashes that took a part of the stake. */
  readonly slashed: number[];
}

export function exactStakes(history: StakeHistory): StakePoint[] {
  const [delegated, unbonding] = [accountsOf('delegated', history), accountsOf('unbonding', history)];
  const steps = [
    ...[...delegated].flatMap(([validator, account]) => {
      const unknownFrom = inexactDelegation(validator, account, history);
      return stepsOf('delegated', account, unknownFrom);
    }),
    ...[...unbonding.values()].flatMap((account) => stepsOf('unbonding', account, inexactUnbonding(account))),
  ];
  return pointsOf(steps, history.first - 1);
}

function accountsOf(kind: Kind, { acts, liable, start, closing }: StakeHistory): Map<string, Account> {
  const accounts = new Map<string, Account>();
  const of = (validator: string): Account => {
    const found = accounts.get(validator) ?? {
      start: start[kind].get(validator) ?? 0n,
      end: closing[kind].get(validator) ?? 0n,
      changes: [],
      slashed: [],
    };
    accounts.set(validator, found);
    return found;
  };
  for (const validator of [...start[kind].keys(), ...closing[kind].keys()]) of(validator);
  for (const act of acts) {
    const { height } = act;
    if (act.kind === 'slash') {
      const { redelegated, unbonding } = liable.get(act)!;
      const losses = kind === 'delegated' ? redelegated : unbonding;
      for (const { validator } of losses) of(validator).slashed.push(height);
      if (kind === 'delegated' && accounts.has(act.slash.validator)) of(act.slash.validator).slashed.push(height);
    } else if (act.kind === kind) {
      of(act.validator).changes.push({ height, amount: act.amount, source: act.source });
      if (act.source !== undefined) of(act.source).changes.push({ height, amount: -act.amount });
    }
  }
  return accounts;
}

const rowsEnd = ({ start, changes }: Account): bigint => changes.reduce((sum, { amount }) => sum + amount, start);

const BEGINNING = Number.NEGATIVE_INFINITY;
const NEVER = Number.POSITIVE_INFINITY;

const firstHeld = ({ start, changes }: Account): number => (start === 0n ? (changes[0]?.height ?? NEVER) : BEGINNING);

/**
 * Returns the height from which a delegation is not exact. All of it is exact if the validator's tokens and shares are
 * equal at the end and no slash hit it. Its beginning is exact if they were equal before, until the chain's first slash.
 */
function inexactDelegation(validator: string, account: Account, { acts, even }: StakeHistory): number {
  if (even.after.has(validator) && account.slashed.length === 0 && rowsEnd(account) === account.end) return NEVER;
  const held = firstHeld(account);
  if (!even.before?.has(validator)) return held;
  const slash = acts.find(({ kind }) => kind === 'slash')?.height ?? NEVER;
  const rounded = account.changes.find(({ source }) => source !== undefined && !even.before!.has(source));
  return Math.max(held, Math.min(slash, rounded?.height ?? NEVER));
}

const inexactUnbonding = (account: Account): number =>
  account.slashed[0] ?? (rowsEnd(account) === account.end ? NEVER : firstHeld(account));

interface Step {
  readonly kind: Kind;
  readonly height: number;
  readonly amount: bigint;
  /** 1 if an amount becomes unknown, -1 if it becomes known. */
  readonly unknown: number;
}

/** An inexact stake is exact again when it has ended: then it is 0. */
function stepsOf(kind: Kind, account: Account, unknownFrom: number): Step[] {
  const { start, end, changes } = account;
  const from = firstInexact(account, unknownFrom);
  const known: Step[] = [
    { kind, height: BEGINNING, amount: start, unknown: 0 },
    ...changes.map(({ height, amount }) => ({ kind, height, amount, unknown: 0 })),
  ];
  if (from === NEVER) return known;
  const last = changes.at(-1)?.height;
  const ended = end === 0n && last !== undefined && last >= from ? last : undefined;
  return [
    ...known,
    { kind, height: from, amount: 0n, unknown: 1 },
    ...(ended === undefined ? [] : [{ kind, height: ended, amount: -rowsEnd(account), unknown: -1 }]),
  ];
}

/** Returns the first height at which a stake is neither exact nor 0. */
function firstInexact({ start, changes }: Account, unknownFrom: number): number {
  const before = changes.filter(({ height }) => height < unknownFrom);
  const held = unknownFrom === BEGINNING ? start : before.reduce((sum, { amount }) => sum + amount, start);
  return held === 0n ? (changes[before.length]?.height ?? NEVER) : unknownFrom;
}

/** @param opening height of the first point, which includes all earlier steps */
function pointsOf(steps: readonly Step[], opening: number): StakePoint[] {
  const byHeight = new Map<number, Step[]>([[opening, []]]);
  for (const step of steps) {
    const height = Math.max(step.height, opening);
    byHeight.set(height, [...(byHeight.get(height) ?? []), step]);
  }
  const sums = { delegated: 0n, unbonding: 0n };
  const unknown = { delegated: 0, unbonding: 0 };
  const points: StakePoint[] = [];
  for (const [height, changes] of [...byHeight].sort(([a], [b]) => a - b)) {
    for (const { kind, amount, unknown: change } of changes) {
      sums[kind] += amount;
      unknown[kind] += change;
    }
    const known = (kind: Kind) => (unknown[kind] === 0 ? sums[kind] : null);
    const point = { height, staked: known('delegated'), unbonding: known('unbonding') };
    const before = points.at(-1);
    if (before?.staked !== point.staked || before?.unbonding !== point.unbonding) points.push(point);
  }
  return points;
}
