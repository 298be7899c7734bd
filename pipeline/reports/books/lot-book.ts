/**
 * The lot book: lots as programs for plain-text accounting hold them, where a lot is closed as a whole. The journal takes slices of lots
 * whose basis is rounded cumulatively; a lot with the basis of a slice exists only where it was booked as one of its own. So a plan is
 * made first, which knows every slice of a lot, and the lot is then opened in these parts.
 */

/** A part of a lot: opened as such and closed as such. */
export interface LotPart {
  /** Base units. */
  readonly units: bigint;
  /** Cents. */
  readonly basis: bigint;
  /** YYYY-MM-DD on which it was acquired. */
  readonly acquired: string;
  /** Tells it from all other parts of the wallet. */
  readonly label: string;
}

interface Piece {
  readonly number: number;
  readonly acquired: string;
  /** Rest of it. */
  units: bigint;
  basis: bigint;
  /** Parts that were taken, in order. */
  readonly parts: LotPart[];
}

/** Parts that were taken, and the cents by which they are worth more than what was asked for. */
export interface TakenParts {
  readonly parts: readonly LotPart[];
  readonly excess: bigint;
}

const nextLabel = (piece: Piece) => `${piece.number}.${piece.parts.length + 1}`;

export class LotBook {
  private readonly pieces: Piece[] = [];
  /** Pieces by place and acquired day, of which something is left. */
  private readonly pools = new Map<string, Piece[]>();

  /** @param plan a book that has seen the same lots and slices up to the end; without one a lot is opened in one part */
  constructor(private readonly plan?: LotBook) {}

  /** Puts a lot, or a part that comes from elsewhere, into a place. @returns the parts in which it is opened there */
  put(place: string, units: bigint, basis: bigint, acquired: string): readonly LotPart[] {
    const piece: Piece = { number: this.pieces.length + 1, acquired, units, basis, parts: [] };
    this.pieces.push(piece);
    const key = `${place} ${acquired}`;
    const pool = this.pools.get(key);
    if (pool) pool.push(piece);
    else this.pools.set(key, [piece]);
    return this.planned(piece);
  }

  /**
   * Takes a slice. It belongs to a lot of that day; which one of them is told by quantity and basis, the first that fits.
   * @throws Error where less is there
   */
  take(place: string, units: bigint, basis: bigint, acquired: string): TakenParts {
    const key = `${place} ${acquired}`;
    const pool = this.pools.get(key) ?? [];
    const isIt = (piece: Piece) => piece.units === units && piece.basis === basis;
    const hasIt = (piece: Piece) => piece.units > units && piece.basis >= basis;
    const piece = pool.find(isIt) ?? pool.find(hasIt);
    const taken = piece ? [cut(piece, units, basis)] : cutFromFront(pool, units, basis, key);
    this.pools.set(
      key,
      pool.filter(({ units }) => units > 0n),
    );
    return { parts: taken, excess: taken.reduce((sum, part) => sum + part.basis, -basis) };
  }

  /** Parts that lie in each place, by its name. */
  *open(): Generator<{ place: string; parts: readonly LotPart[] }> {
    for (const [key, pool] of this.pools) {
      const place = key.slice(0, key.lastIndexOf(' '));
      for (const piece of pool) yield { place, parts: this.planned(piece) };
    }
  }

  /** The parts in which a piece will leave, from now on. */
  private planned(piece: Piece): readonly LotPart[] {
    const { units, basis, acquired } = piece;
    const rest = (from: Piece): LotPart => ({ units: from.units, basis: from.basis, acquired, label: nextLabel(from) });
    const planned = this.plan?.pieces[piece.number - 1];
    if (!planned) return [{ units, basis, acquired, label: nextLabel(piece) }];
    const parts = planned.parts.slice(piece.parts.length);
    return planned.units > 0n ? [...parts, rest(planned)] : parts;
  }
}

function cut(piece: Piece, units: bigint, basis: bigint): LotPart {
  const part = { units, basis, acquired: piece.acquired, label: nextLabel(piece) };
  piece.units -= units;
  piece.basis -= basis;
  piece.parts.push(part);
  return part;
}

/** Takes whole pieces, and of the last one what is missing; its basis makes up for theirs as far as it can. */
function cutFromFront(pool: readonly Piece[], units: bigint, basis: bigint, key: string): LotPart[] {
  const taken: LotPart[] = [];
  let [left, cost] = [units, basis];
  for (const piece of pool) {
    if (left === 0n) break;
    const isWhole = piece.units <= left;
    const share = isWhole || cost > piece.basis ? piece.basis : cost < 0n ? 0n : cost;
    taken.push(cut(piece, isWhole ? piece.units : left, share));
    left -= taken.at(-1)!.units;
    cost -= share;
  }
  if (left > 0n) throw new Error(`${left} base units are not in ${key}`);
  return taken;
}
