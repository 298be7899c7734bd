/**
 * Splits lots for plain-text accounting, which can only close a lot as a whole. A first pass over the journal plans all
 * slices of a lot; the second pass opens the lot in exactly these parts.
 * Example: a lot of 10 ATOM that is sold as 4 and 6 is opened as lots 1.1 (4) and 1.2 (6).
 */

export interface LotPart {
  /** Base units. */
  readonly units: bigint;
  /** Cents. */
  readonly basis: bigint;
  /** YYYY-MM-DD. */
  readonly acquired: string;
  /** `<lot>.<part>`, unique in the wallet. */
  readonly label: string;
}

interface Piece {
  readonly number: number;
  readonly acquired: string;
  /** What is left of it. */
  units: bigint;
  basis: bigint;
  readonly parts: LotPart[];
}

/** `excess` is the basis of the parts minus the requested basis, in cents. */
export interface TakenParts {
  readonly parts: readonly LotPart[];
  readonly excess: bigint;
}

const nextLabel = (piece: Piece) => `${piece.number}.${piece.parts.length + 1}`;

export class LotBook {
  private readonly pieces: Piece[] = [];
  /** Open lots by place and acquired day. */
  private readonly pools = new Map<string, Piece[]>();

  /** @param plan a book after its pass over the same entries; without it, each lot is one part */
  constructor(private readonly plan?: LotBook) {}

  /** Adds coins to a place and returns the parts in which they are opened there. */
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
   * Takes a slice from the first lot of that day that matches in quantity and basis.
   * @throws Error if the place holds less
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

  *open(): Generator<{ place: string; parts: readonly LotPart[] }> {
    for (const [key, pool] of this.pools) {
      const place = key.slice(0, key.lastIndexOf(' '));
      for (const piece of pool) yield { place, parts: this.planned(piece) };
    }
  }

  /** Returns the parts that a lot will still be closed in. */
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

/** Takes from several lots. The last lot absorbs the difference in basis as far as possible. */
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
