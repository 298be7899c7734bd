/**
 * What the pool rules of tax law have in common. A pool holds the coins of one asset without telling them apart, so a
 * disposal takes an average cost, or by some rules the cost of acquisitions around it.
 */
import { halfUp, powerOfTen } from '../../base/values/amount.js';

/** What happens to a pool. Moves between wallets of one owner, into escrows and into shares are none. */
export interface Act {
  /**
   * - `enter`: coins join the pool without being acquired, such as coins from before the index;
   * - `return`: coins come home from an own place elsewhere, with the cost at which they left;
   * - `shrink`: coins were burned while they were a share, and the others keep the whole cost.
   */
  readonly kind: 'acquire' | 'enter' | 'return' | 'dispose' | 'relieve' | 'shrink';
  /** YYYY-MM-DD in the zone of the books. */
  readonly day: string;
  /** Base units, above zero. */
  readonly units: bigint;
  /** Minor units: the cost of what joins the pool, or the proceeds of a disposal. Null if unknown, and for other kinds. */
  readonly money: bigint | null;
  /** True if a relief sends coins to an own place elsewhere. */
  readonly isAway?: boolean;
  /** Minor units: value of all coins of the owner before a disposal, as the owner states it. Only France asks for it. */
  readonly portfolio?: bigint;
}

/** A part of a disposal, with its own cost. */
export interface Part {
  /** The disposal; the first one of the day where a rule counts a day's disposals as one. */
  readonly act: Act;
  readonly units: bigint;
  readonly rule: 'pool' | 'same_day' | '30_days' | 'no_lot';
  /** Day of the matched acquisition; null for coins of a pool. */
  readonly acquired: string | null;
  /** Minor units; null if unknown. */
  readonly proceeds: bigint | null;
  readonly cost: bigint | null;
  /** Minor units; the loss that the rule denies is not in it. */
  readonly gain: bigint | null;
}

/** A pool after the last act of a day. */
export interface PoolState {
  readonly day: string;
  readonly units: bigint;
  /** Minor units; null if unknown. */
  readonly cost: bigint | null;
}

export interface Matched {
  /** In the order of disposals. */
  readonly parts: readonly Part[];
  readonly states: readonly PoolState[];
}

export interface PoolTerms {
  /** First day of the tax year, MM-DD. */
  readonly yearStart: string;
  /** Decimal places of the displayed unit. */
  readonly decimals: number;
  /** `up`: the cost of one displayed unit is rounded up to the minor unit. */
  readonly unitRounding: 'none' | 'up';
}

export interface PoolMethod {
  /** Value of the parameter `method`. */
  readonly name: string;
  /** What papers print, such as 'moving average cost of a pool'. */
  readonly term: string;
  /** Matches all acts of an asset, in chain order. */
  match(acts: readonly Act[], terms: PoolTerms): Matched;
}

/** Reports whether the coins of an act join the pool. The coins of all others leave it. */
export const joins = ({ kind }: Act): boolean => kind === 'acquire' || kind === 'enter' || kind === 'return';

interface Withdrawn {
  /** Minor units; null if unknown. */
  readonly cost: bigint | null;
  /** Base units that the pool did not have. */
  readonly short: bigint;
}

/**
 * Coins at their average cost. The cost of a part is the difference of two rounded running totals, which begin anew at
 * each acquisition. A pool with one unit of unknown cost has an unknown cost until it is empty.
 */
export class AveragePool {
  units = 0n;
  private isUnknown = false;
  /** Units and cost when the running totals began. */
  private start = { units: 0n, cost: 0n };

  constructor(private readonly terms: PoolTerms) {}

  /** Minor units; null if unknown. */
  get cost(): bigint | null {
    return this.isUnknown ? null : this.start.cost - this.costOf(this.start.units - this.units);
  }

  put(units: bigint, cost: bigint | null): void {
    if (cost === null) this.isUnknown = true;
    const before = this.start.cost - this.costOf(this.start.units - this.units);
    this.units += units;
    this.start = { units: this.units, cost: before + (cost ?? 0n) };
  }

  /** Adds a denied loss to the cost. */
  raise(cost: bigint): void {
    this.put(0n, cost);
  }

  /** Removes units, whose cost stays with the others. */
  shrink(units: bigint): void {
    if (units === 0n) return; // the running totals go on
    const cost = this.start.cost - this.costOf(this.start.units - this.units);
    this.units -= units < this.units ? units : this.units;
    this.start = { units: this.units, cost };
  }

  take(units: bigint): Withdrawn {
    const taken = units < this.units ? units : this.units;
    const gone = this.start.units - this.units;
    const cost = this.costOf(gone + taken) - this.costOf(gone);
    this.units -= taken;
    const wasUnknown = this.isUnknown;
    if (this.units === 0n) this.isUnknown = false;
    return { cost: wasUnknown ? null : cost, short: units - taken };
  }

  /** Returns the cost of the first units since the running totals began. */
  private costOf(gone: bigint): bigint {
    const { units, cost } = this.start;
    return averageCost(gone, units, cost, this.terms);
  }
}

interface Sent {
  readonly units: bigint;
  readonly cost: bigint | null;
  /** Units that have come home. */
  home: bigint;
}

/** Costs of coins at own places elsewhere. Coins come home in the order in which they were sent. */
export class AwayCosts {
  private readonly sends: Sent[] = [];
  private first = 0;

  send(units: bigint, { cost, short }: Withdrawn): void {
    this.sends.push({ units, cost: short > 0n ? null : cost, home: 0n });
  }

  /** Returns the cost of coins that come home; null if a part is unknown. */
  take(units: bigint): bigint | null {
    let left = units;
    let sum: bigint | null = 0n;
    for (let sent = this.sends[this.first]; sent && left > 0n; sent = this.sends[this.first]) {
      const rest = sent.units - sent.home;
      const taken = left < rest ? left : rest;
      const upTo = (home: bigint) => (sent.cost === null ? 0n : halfUp(sent.cost * home, sent.units));
      sum = sum === null || sent.cost === null ? null : sum + upTo(sent.home + taken) - upTo(sent.home);
      sent.home += taken;
      left -= taken;
      if (sent.home === sent.units) this.first++;
    }
    return left > 0n ? null : sum;
  }
}

/**
 * Leaves out coins that come home in the period in which they were sent. A rule that counts the acts of a period as one
 * could not give them a cost.
 */
export function withoutRoundTrips<Some extends Act>(acts: readonly Some[], periodOf: (day: string) => unknown): Some[] {
  if (!acts.some(({ kind }) => kind === 'return')) return [...acts];
  const units = acts.map((act) => act.units);
  /** Sends with their units that have not come home, the oldest first. */
  const away: { readonly i: number; units: bigint }[] = [];
  for (const [i, act] of acts.entries()) {
    if (act.isAway) away.push({ i, units: act.units });
    for (let left = act.units; act.kind === 'return' && left > 0n && away.length > 0; ) {
      const [sent] = away as [(typeof away)[number]];
      const taken = left < sent.units ? left : sent.units;
      if (periodOf(acts[sent.i]!.day) === periodOf(act.day)) {
        units[i]! -= taken;
        units[sent.i]! -= taken;
      }
      sent.units -= taken;
      left -= taken;
      if (sent.units === 0n) away.shift();
    }
  }
  return acts.flatMap((act, i) => (units[i] === 0n ? [] : [{ ...act, units: units[i]! }]));
}

/** Returns the cost of a part of coins at their average, rounded half up. */
export function averageCost(part: bigint, units: bigint, cost: bigint, terms: PoolTerms): bigint {
  if (part === 0n) return 0n;
  if (part === units) return cost;
  if (terms.unitRounding === 'none') return halfUp(cost * part, units);
  const one = powerOfTen(terms.decimals);
  const ofOne = (cost * one + units - 1n) / units;
  const whole = halfUp(ofOne * part, one);
  return whole < cost ? whole : cost;
}

/** A part before the proceeds are split. */
export type Piece = Pick<Part, 'units' | 'rule' | 'acquired' | 'cost'>;

/** Splits the proceeds of a disposal among its pieces by running totals. */
export function partsOf(act: Act, pieces: readonly Piece[], units: bigint, proceeds: bigint | null): Part[] {
  let [done, paid] = [0n, 0n];
  return pieces
    .filter((piece) => piece.units > 0n)
    .map((piece) => {
      done += piece.units;
      const upTo = proceeds === null ? 0n : halfUp(proceeds * done, units);
      const part = proceeds === null ? null : upTo - paid;
      paid = upTo;
      const gain = part === null || piece.cost === null ? null : part - piece.cost;
      return { act, ...piece, proceeds: part, gain };
    });
}

/** Returns the pieces that a pool gives for a disposal: its coins, and coins that it did not have. */
export function poolPieces(units: bigint, { cost, short }: Withdrawn): Piece[] {
  return [
    { units: units - short, rule: 'pool', acquired: null, cost },
    { units: short, rule: 'no_lot', acquired: null, cost: null },
  ];
}

/** Notes the state of a pool after each act, once for each day. */
export function noteState(states: PoolState[], day: string, { units, cost }: AveragePool): void {
  if (states.at(-1)?.day === day) states.pop();
  states.push({ day, units, cost });
}
