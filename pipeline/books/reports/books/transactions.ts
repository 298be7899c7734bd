/**
 * Converts journal entries into transactions for plain-text accounting. Coins of known basis are posted with cost and
 * acquired day. Coins of unknown basis are posted without cost, against an equity account.
 */
import type { Entry } from '../../ledger/entry.js';
import { converted, whole } from '../../ledger/lots.js';
import { BEFORE_INDEX } from '../../ledger/opening-coins.js';
import { type EntrySlice, readSlices } from '../../ledger/slices.js';

export interface Place {
  readonly denom: string;
  readonly kind: 'held' | 'deposited';
  readonly isOpening: boolean;
}

export interface CoinPosting {
  readonly account: Place | string;
  /** Base units; negative if credited. */
  readonly units: bigint;
  readonly denom: string;
  readonly lot?: LotPart;
  /** Cents. Null or undefined unless the posting is a sale with a price. */
  readonly proceeds?: bigint | null;
}

export interface DollarPosting {
  readonly account: string;
  /** Cents; positive for a debit. */
  readonly cents: bigint;
}

export type BookPosting = CoinPosting | DollarPosting;

export interface Transaction {
  readonly address: string;
  /** YYYY-MM-DD */
  readonly day: string;
  /** Id of the /events row; '' for the opening balances. */
  readonly id: string;
  readonly txHash: string;
  /** '' for the opening balances. */
  readonly category: string;
  readonly description: string;
  readonly postings: readonly BookPosting[];
}

const OPENING = 'Equity: Opening Balances';
const UNKNOWN_BASIS = 'Equity: Unknown Basis';
const ROUNDING = 'Equity: Rounding';
const DEPOSITS = 'Digital Assets: Deposits';
const isAsset = (account: string) => account.startsWith('Digital Assets: ');

const keyOf = ({ denom, kind }: Place) => `${kind} ${denom}`;

export class Books {
  private readonly lots: LotBook;
  private readonly bare = new Map<string, { place: Place; units: bigint }>();

  /**
   * @param opening denom → base units held before the index, excluding opening lots that the caller stated
   * @param plan result of a first pass over the same entries (see LotBook)
   */
  constructor(
    private readonly address: string,
    opening: ReadonlyMap<string, bigint>,
    plan?: Books,
  ) {
    this.lots = new LotBook(plan?.lots);
    for (const [denom, units] of opening) this.putBare({ denom, kind: 'held', isOpening: true }, units);
  }

  opening(day: string): Transaction {
    const postings: BookPosting[] = [];
    for (const { place: key, parts } of this.lots.open()) {
      const place = placeOf(key);
      for (const lot of parts) postings.push({ account: place, units: lot.units, denom: place.denom, lot });
      postings.push(...dollars(OPENING, -parts.reduce((sum, { basis }) => sum + basis, 0n)));
    }
    for (const { place, units } of this.bare.values()) {
      if (units > 0n) postings.push(...moved(OPENING, place, units));
    }
    return { address: this.address, day, id: '', txHash: '', category: '', description: 'Opening balances', postings };
  }

  book(entries: readonly [Entry, ...Entry[]]): Transaction {
    const [{ address, day, event_id: id, tx_hash: txHash, category }] = entries;
    const memos = [...new Set(entries.map(({ memo }) => memo))].filter((memo) => memo !== '');
    const postings = entries.flatMap((entry, i) => this.postingsOf(entry, entries.slice(i + 1)));
    const description = [category.replaceAll('_', ' '), ...memos].join('; ');
    return { address, day, id, txHash, category, description, postings };
  }

  private postingsOf(entry: Entry, following: readonly Entry[]): BookPosting[] {
    const { debit_account: debit, credit_account: credit, amount } = entry;
    if (entry.slices !== null) return this.transfer(entry);
    if (entry.quantity !== null) return this.acquire(entry, following);
    // Posts only the basis, because `acquire` has already posted the difference between value and cost.
    return [...(isAsset(debit) ? [] : dollars(debit, amount)), ...dollars(credit, -amount)];
  }

  /** Books a new lot. Its cost is the sum of this entry and of the following entries that debit the asset. */
  private acquire(entry: Entry, following: readonly Entry[]): BookPosting[] {
    const { denom, credit_account: credit, amount } = entry;
    const units = entry.quantity!;
    const place: Place = { denom, kind: 'held', isOpening: false };
    if (entry.basis_unknown_quantity === units) {
      this.putBare(place, units);
      return moved(/^(Transfers|Equity)/.test(credit) ? credit : UNKNOWN_BASIS, place, units);
    }
    const next = following.findIndex(({ act, quantity }) => act !== 'acquire' || quantity !== null);
    const rest = following
      .slice(0, next < 0 ? following.length : next)
      .filter(({ debit_account }) => isAsset(debit_account));
    const basis = rest.reduce((sum, { amount }) => sum + amount, amount);
    return [...this.putLot(place, units, basis, entry.acquired!), ...dollars(credit, -amount)];
  }

  private transfer(entry: Entry): BookPosting[] {
    const { debit_account: debit, credit_account: credit, denom, amount } = entry;
    const { credit_denom: sent, credit_quantity: of } = entry;
    const [from, to] = [isAsset(credit), isAsset(debit)];
    // A move within the wallet does not need a contra account.
    const contra = from && to && sent === null ? undefined : UNKNOWN_BASIS;
    const slices = readSlices(entry.slices).filter(({ acquired }) => acquired !== null);
    const arriving = sent === null ? slices : convertedSlices(slices, entry.quantity!, of!);
    return [
      ...(from ? slices.flatMap((slice) => this.leave(inPlace(credit, sent ?? denom, slice), slice, contra)) : []),
      ...(to ? arriving.flatMap((slice) => this.arrive(inPlace(debit, denom, slice), slice, contra)) : []),
      ...(from ? [] : dollars(credit, -amount)),
      ...(to ? [] : dollars(debit, amount)),
    ];
  }

  private leave(place: Place, slice: EntrySlice, contra: string | undefined): BookPosting[] {
    const { acquired, quantity, basis, proceeds } = slice;
    const { denom } = place;
    if (basis === null) {
      this.putBare(place, -quantity);
      return moved(contra, place, -quantity);
    }
    const { parts, excess } = this.lots.take(keyOf(place), quantity, basis, acquired!);
    const price = parts.length === 1 ? proceeds : null;
    const closed = parts.map((lot) => ({ account: place, units: -lot.units, denom, lot, proceeds: price }));
    return [...closed, ...dollars(ROUNDING, excess)];
  }

  private arrive(place: Place, { acquired, quantity, basis }: EntrySlice, contra: string | undefined): BookPosting[] {
    if (basis !== null) return this.putLot(place, quantity, basis, acquired!);
    this.putBare(place, quantity);
    return moved(contra, place, quantity);
  }

  private putLot(place: Place, units: bigint, basis: bigint, acquired: string): BookPosting[] {
    const parts = this.lots.put(keyOf(place), units, basis, acquired);
    return parts.map((lot) => ({ account: place, units: lot.units, denom: place.denom, lot }));
  }

  private putBare(place: Place, units: bigint): void {
    const key = `${keyOf(place)} ${place.isOpening}`;
    this.bare.set(key, { place, units: (this.bare.get(key)?.units ?? 0n) + units });
  }
}

function placeOf(key: string): Place {
  const [kind] = key.split(' ', 1) as [Place['kind']];
  return { kind, denom: key.slice(kind.length + 1), isOpening: false };
}

const inPlace = (account: string, denom: string, { acquired }: EntrySlice): Place => ({
  denom,
  kind: account === DEPOSITS ? 'deposited' : 'held',
  isOpening: acquired === BEFORE_INDEX,
});

const dollars = (account: string, cents: bigint): DollarPosting[] => (cents === 0n ? [] : [{ account, cents }]);

const moved = (contra: string | undefined, account: Place, units: bigint): CoinPosting[] => [
  { account, units, denom: account.denom },
  ...(contra === undefined ? [] : [{ account: contra, units: -units, denom: account.denom }]),
];

function convertedSlices(slices: readonly EntrySlice[], units: bigint, of: bigint): EntrySlice[] {
  const lots = slices.map(({ acquired, quantity, basis }, arrival) =>
    whole({ acquired: acquired!, day: acquired!, arrival, quantity, basis }),
  );
  return converted(lots, units, of).map(({ lot: { acquired, quantity, basis } }) => ({
    ...{ acquired, quantity, basis },
    proceeds: null,
  }));
}

export function* byRow(entries: Iterable<Entry>): Generator<[Entry, ...Entry[]], void, undefined> {
  let row: Entry[] = [];
  for (const entry of entries) {
    if (row.length > 0 && row[0]!.event_id !== entry.event_id) {
      yield row as [Entry, ...Entry[]];
      row = [];
    }
    row.push(entry);
  }
  if (row.length > 0) yield row as [Entry, ...Entry[]];
}

export interface LotPart {
  /** Base units. */
  readonly units: bigint;
  /** Cents. */
  readonly basis: bigint;
  /** YYYY-MM-DD. */
  readonly acquired: string;
  /** `<lot>.<part>`, unique in the wallet, such as 1.2. */
  readonly label: string;
}

interface Piece {
  readonly number: number;
  readonly acquired: string;
  units: bigint;
  basis: bigint;
  readonly parts: LotPart[];
}

/** The parts taken from lots. `excess` is their basis minus the requested basis, in cents. */
interface TakenParts {
  readonly parts: readonly LotPart[];
  readonly excess: bigint;
}

const nextLabel = (piece: Piece) => `${piece.number}.${piece.parts.length + 1}`;

/**
 * Splits lots, so that each sale closes a whole lot at its exact cost in cents. If Beancount sold part of a lot, the
 * cost would be the quantity times the cost per unit, which is rarely whole cents. A first pass finds the parts in which
 * each lot is sold; the second opens the lot in these parts. Example: a lot of 10 ATOM that is sold as 4 and 6 is opened
 * as lots 1.1 (4) and 1.2 (6).
 */
class LotBook {
  private readonly pieces: Piece[] = [];
  private readonly pools = new Map<string, Piece[]>();

  /** @param plan result of the first pass; without it, each lot has a single part */
  constructor(private readonly plan?: LotBook) {}

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
   * Takes a slice from a lot of that day: the first one with the same quantity and basis, otherwise the first ones of
   * the day.
   * @throws Error if `place` has fewer coins than `units`
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
