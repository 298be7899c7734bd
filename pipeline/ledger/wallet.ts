/** The books of one wallet while its events are replayed: holdings, escrows, and what linked rows must find again. */
import { type Lot, LotQueue, type Taken, whole } from './lots.js';
import { BEFORE_INDEX, type OpeningHoldings } from './opening/opening-coins.js';
import type { Rules } from './rules.js';

/** The account of an asset, by its symbol. */
export const assetAccount = (symbol: string): string => `Digital Assets: ${symbol}`;

/** One asset that the wallet has or had. */
export interface Holding {
  readonly denom: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Its asset account. */
  readonly account: string;
  readonly lots: LotQueue;
  /** Base units that left without a lot. */
  unmatched: bigint;
  /** Base units that arrived and made no lot here, because a decision excludes them or says that they were something else. */
  decidedAway: bigint;
}

/** Lots that a row relieved, for the row with the same link that may bring them back. */
export interface Relief {
  readonly eventId: string;
  readonly quantity: bigint;
  readonly taken: Taken;
  /** Cents. */
  readonly basis: bigint;
  /** Cents; negative = a loss; 0 where none was realized. */
  readonly gain: bigint;
  /** Cents of the proceeds of what had no known basis. */
  readonly unknownProceeds: bigint;
  /** The contra account. */
  readonly account: string;
}

/** Acquired day of a stand-in for coins without a lot, which keeps their turn in an escrow and never leaves it. */
const NO_LOT = 'none';

/** Two rows with the same link, in one denom. */
export const linkKey = (link: string, denom: string): string => `${link} ${denom}`;

/** A part of the opening coins of a denom as its owner states it: base units, and basis in cents. */
type StatedLot = Pick<Lot, 'acquired' | 'quantity'> & { readonly denom: string; readonly basis: bigint };

export class WalletState {
  readonly holdings = new Map<string, Holding>();
  readonly escrows = new Map<string, LotQueue>();
  /** Lots that linked rows made, by linkKey. */
  readonly made = new Map<string, Lot[]>();
  /** Lots that linked rows relieved, by linkKey. */
  readonly relieved = new Map<string, Relief>();
  private arrivals = 0;

  /**
   * @param address '' until its first event, where it is not known before
   * @param opening its coins from before the index
   * @param stated what its owner says of a part of them: lots, behind the rest
   */
  constructor(
    readonly rules: Rules,
    public address: string,
    readonly opening: OpeningHoldings,
    stated: readonly StatedLot[],
  ) {
    for (const [denom, quantity] of opening ?? []) {
      const { lots } = this.holding(denom);
      const own = stated.filter((lot) => lot.denom === denom);
      const rest = own.reduce((left, lot) => left - lot.quantity, quantity);
      if (rest > 0n) lots.put(whole(this.newLot(BEFORE_INDEX, rest, null)));
      for (const lot of own) lots.put(whole(this.newLot(lot.acquired, lot.quantity, lot.basis)));
    }
  }

  holding(denom: string): Holding {
    const known = this.holdings.get(denom);
    if (known) return known;
    const { symbol, decimals } = this.rules.denomination(denom);
    const account = assetAccount(symbol);
    const lots = new LotQueue();
    const holding: Holding = { denom, symbol, decimals, account, lots, unmatched: 0n, decidedAway: 0n };
    this.holdings.set(denom, holding);
    return holding;
  }

  /** Finds the lots with one counterparty in one denom; they leave in the order in which they came. */
  escrow(counterparty: string | null, denom: string): LotQueue {
    const key = linkKey(counterparty ?? '', denom);
    const known = this.escrows.get(key);
    if (known) return known;
    const escrow = new LotQueue();
    this.escrows.set(key, escrow);
    return escrow;
  }

  /**
   * Puts coins into an escrow: lots, and behind them in the same turn those that had none. These are from before the index where there
   * is no starting state, or a decision took them out.
   */
  deposit(counterparty: string | null, denom: string, { slices, short }: Taken): void {
    const escrow = this.escrow(counterparty, denom);
    for (const slice of slices) escrow.append(slice);
    if (short > 0n) escrow.append(whole({ acquired: NO_LOT, arrival: -1, quantity: short, basis: null }));
  }

  /**
   * Takes coins out of an escrow in the order in which they went in.
   * @returns lots, base units that went in without one, and those that never went in
   */
  withdraw(counterparty: string | null, denom: string, units: bigint): Taken & { readonly excess: bigint } {
    const { slices, short: excess } = this.escrow(counterparty, denom).take(units);
    const bare = slices.filter(({ lot }) => lot.acquired === NO_LOT);
    const short = bare.reduce((sum, { from, to }) => sum + to - from, 0n);
    return { slices: bare.length === 0 ? slices : slices.filter(({ lot }) => lot.acquired !== NO_LOT), short, excess };
  }

  /** A lot that has just arrived. */
  newLot(acquired: string, quantity: bigint, basis: bigint | null): Lot {
    return { acquired, arrival: this.arrivals++, quantity, basis };
  }
}

/** The books of a wallet before its first event: empty but for what it held before the index. */
export const openWallet = (
  rules: Rules,
  address = '',
  opening: OpeningHoldings = undefined,
  stated: readonly StatedLot[] = [],
): WalletState => new WalletState(rules, address, opening, stated);
