import type { Zone } from '../../base/values/zones.js';
import { IN_PRICES, type Valuer } from '../currencies/valuer.js';
import type { LotMethod } from '../methods/method.js';
import type { Away } from './away.js';
import { IncomeTotals } from './income-totals.js';
import { type Lot, LotQueue, type Parcel, type Taken, whole } from './lots.js';
import { BEFORE_INDEX, type OpeningHoldings } from './opening-coins.js';
import type { Rules } from './rules.js';

export const assetAccount = (symbol: string): string => `Digital Assets: ${symbol}`;

export interface Holding {
  readonly denom: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly account: string;
  readonly lots: LotQueue;
  /** Base units that left the wallet without a lot. */
  unmatched: bigint;
  /**
   * Base units that the owner's asset decisions have removed. If lots run out later, memos name these decisions as the
   * reason.
   */
  decidedAway: bigint;
}

/** Coins that a sent row took from the wallet. A later refund with the same link returns them. */
export interface Relief {
  readonly eventId: string;
  readonly quantity: bigint;
  readonly taken: Taken;
  /** Cents. */
  readonly basis: bigint;
  /** Cents; negative for a loss. */
  readonly gain: bigint;
  /** Cents. */
  readonly unknownProceeds: bigint;
  readonly account: string;
}

export const linkKey = (link: string, denom: string): string => `${link} ${denom}`;

type StatedLot = Pick<Lot, 'acquired' | 'quantity'> & { readonly denom: string; readonly basis: bigint };

/** What a replay of a wallet begins with. */
export interface WalletStart {
  readonly rules: Rules;
  readonly method: LotMethod;
  /** By default, values are in the currency of prices. */
  readonly valuer?: Valuer;
  readonly zone: Zone;
  /** '' until the first event is replayed. */
  readonly address?: string;
  readonly opening?: OpeningHoldings;
  readonly stated?: readonly StatedLot[];
  readonly away?: Away | undefined;
}

export class WalletState {
  readonly rules: Rules;
  readonly method: LotMethod;
  readonly valuer: Valuer;
  readonly zone: Zone;
  address: string;
  readonly opening: OpeningHoldings;
  readonly holdings = new Map<string, Holding>();
  readonly escrows = new Map<string, LotQueue>();
  /** Lots created by receipts, by `linkKey`. */
  readonly made = new Map<string, Lot[]>();
  readonly relieved = new Map<string, Relief>();
  /** Undefined if no decision brings coins home. Texts of wallets leave it out, because nightly runs have no decisions. */
  readonly away: Away | undefined;
  /** Running totals by which the wallet's income is valued. */
  income: IncomeTotals;
  /** Number of receipts so far. */
  arrivals = 0;

  constructor({ rules, method, valuer = IN_PRICES, zone, address = '', opening, stated = [], away }: WalletStart) {
    this.rules = rules;
    this.method = method;
    this.valuer = valuer;
    this.zone = zone;
    this.income = new IncomeTotals(valuer);
    this.address = address;
    this.opening = opening;
    this.away = away;
    for (const [denom, quantity] of opening ?? []) {
      const { lots } = this.holding(denom);
      const statedLots = stated.filter((lot) => lot.denom === denom);
      const rest = statedLots.reduce((left, lot) => left - lot.quantity, quantity);
      if (rest > 0n) lots.put(whole(this.newLot(BEFORE_INDEX, rest, null)));
      for (const lot of statedLots) lots.put(whole(this.newLot(lot.acquired, lot.quantity, lot.basis)));
    }
  }

  holding(denom: string): Holding {
    const known = this.holdings.get(denom);
    if (known) return known;
    const { symbol, decimals } = this.rules.denomination(denom);
    const account = assetAccount(symbol);
    const lots = new LotQueue(this.method);
    const holding: Holding = { denom, symbol, decimals, account, lots, unmatched: 0n, decidedAway: 0n };
    this.holdings.set(denom, holding);
    return holding;
  }

  /** Returns a wallet without lots. The caller adds the saved lots. */
  static restored(
    {
      rules,
      method,
      valuer = IN_PRICES,
      zone,
      address = '',
    }: Pick<WalletStart, 'rules' | 'method' | 'valuer' | 'zone' | 'address'>,
    kept: Pick<WalletState, 'opening' | 'arrivals' | 'income'>,
  ): WalletState {
    return Object.assign(new WalletState({ rules, method, valuer, zone, address }), kept);
  }

  /** Returns a copy that continues on its own. Both share the lots, which never change. Does not copy `away`. */
  copy(): WalletState {
    const income = new IncomeTotals(this.valuer, this.income.remainders());
    const copy = WalletState.restored(this, { opening: this.opening, arrivals: this.arrivals, income });
    for (const [denom, holding] of this.holdings) copy.holdings.set(denom, { ...holding, lots: holding.lots.copy() });
    for (const [key, escrow] of this.escrows) copy.escrows.set(key, escrow.copy());
    for (const [key, lots] of this.made) copy.made.set(key, [...lots]);
    for (const [key, relief] of this.relieved) copy.relieved.set(key, relief);
    return copy;
  }

  escrow(counterparty: string | null, denom: string): LotQueue {
    return this.escrowOf(linkKey(counterparty ?? '', denom));
  }

  escrowOf(key: string): LotQueue {
    const known = this.escrows.get(key);
    if (known) return known;
    const escrow = new LotQueue(this.method);
    this.escrows.set(key, escrow);
    return escrow;
  }

  newLot(acquired: string, quantity: bigint, basis: bigint | null, day = acquired): Lot {
    return { acquired, day, arrival: this.arrivals++, quantity, basis };
  }

  /** Makes a lot of what another wallet sent, because each wallet numbers its own lots. */
  arrivedLot(parcel: Parcel): Lot {
    const { acquired, day, quantity, basis } = parcel;
    return { acquired, day, arrival: this.arrivals++, quantity, basis, parcel };
  }
}
