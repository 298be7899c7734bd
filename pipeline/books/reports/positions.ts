/** Unsold coins and unrealized gains of one wallet. Specification: D1, D9, A6. */
import { formatCents, formatDecimal, PRICE_DECIMALS, valueInCents } from '../../base/values/amount.js';
import { basisOf, lotKeysOf, type Slice } from '../ledger/lots.js';
import { isOpening } from '../ledger/opening-coins.js';
import type { Holding, WalletState } from '../ledger/wallet.js';

export interface Position {
  readonly address: string;
  readonly asset: string;
  readonly denom: string;
  /** Displayed units, excluding `opening_quantity`. */
  readonly quantity: string;
  /** Cost of the coins with known basis; '' if there are none. */
  readonly cost_basis_usd: string;
  readonly basis_unknown_quantity: string;
  readonly market_price_usd: string;
  readonly market_value_usd: string;
  /** Gain on the coins with known basis (D1); '' if there are none or the price is missing. */
  readonly unrealized_gain_usd: string;
  readonly price_missing: boolean;
  readonly lots: number;
  /** YYYY-MM-DD; '' if there are no lots. */
  readonly oldest_lot: string;
  /** Displayed units of unsold coins from before the index. */
  readonly opening_quantity: string;
}

/** Returns a denom's price in micro-USD per token; null if there is no price. */
export type PriceLookup = (denom: string) => bigint | null;

/**
 * A holding with the sums of its lots. They are computed only once, because a wallet may have tens of thousands of
 * lots.
 */
export interface OpenHolding {
  readonly holding: Holding;
  readonly open: OpenLots;
}

export const openHoldings = ({ holdings }: WalletState): readonly OpenHolding[] =>
  Array.from(holdings.values(), (holding) => ({ holding, open: openLots(holding) }));

/**
 * Returns positions sorted by symbol, then denom.
 * @param wallet replayed up to the day of the positions
 */
export function positionsOf(wallet: WalletState, priceOf: PriceLookup, held = openHoldings(wallet)): Position[] {
  const positions: Position[] = [];
  for (const { holding, open } of held) {
    const position = positionOf(wallet.address, holding, open, priceOf(holding.denom));
    if (position) positions.push(position);
  }
  return positions.sort((a, b) => compare(a.asset, b.asset) || compare(a.denom, b.denom));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function positionOf(address: string, holding: Holding, open: OpenLots, price: bigint | null): Position | null {
  const { denom, symbol, decimals } = holding;
  const { quantity, opening, unknown, cost, lots, oldest } = open;
  if (quantity === 0n && opening === 0n) return null;
  const known = quantity - unknown;
  const value = price === null ? null : valueInCents(quantity, decimals, price);
  const gain = price === null || known === 0n ? null : valueInCents(known, decimals, price) - cost;
  return {
    address,
    asset: symbol,
    denom,
    quantity: formatDecimal(quantity, decimals),
    cost_basis_usd: known === 0n ? '' : formatCents(cost),
    basis_unknown_quantity: formatDecimal(unknown, decimals),
    market_price_usd: price === null ? '' : formatDecimal(price, PRICE_DECIMALS),
    market_value_usd: value === null ? '' : formatCents(value),
    unrealized_gain_usd: gain === null ? '' : formatCents(gain),
    price_missing: price === null,
    lots,
    oldest_lot: oldest,
    opening_quantity: formatDecimal(opening, decimals),
  };
}

/** Sums the unsold slices of a holding. Several slices of the same lot count as one lot. */
class OpenLots {
  quantity = 0n;
  opening = 0n;
  unknown = 0n;
  cost = 0n;
  /** YYYY-MM-DD; '' if there are no lots. */
  oldest = '';
  private readonly keys = new Set<number | string>();

  get lots(): number {
    return this.keys.size;
  }

  add(slice: Slice): void {
    const units = slice.to - slice.from;
    if (isOpening(slice.lot)) {
      this.opening += units;
      return;
    }
    const basis = basisOf(slice);
    this.quantity += units;
    if (basis === null) this.unknown += units;
    else this.cost += basis;
    for (const key of lotKeysOf(slice)) this.keys.add(key);
    if (this.oldest === '' || slice.lot.day < this.oldest) this.oldest = slice.lot.day;
  }
}

export function openLots(holding: Pick<Holding, 'lots'>): OpenLots {
  const open = new OpenLots();
  for (const slice of holding.lots) open.add(slice);
  return open;
}

export function positionGaps(wallet: WalletState, held = openHoldings(wallet)): string[] {
  const sentences: string[] = [];
  const acquired = wallet.opening ? '' : ', acquired before the indexed history';
  for (const { holding, open } of held) {
    const shown = (units: bigint) => `${formatDecimal(units, holding.decimals)} ${holding.symbol}`;
    if (open.unknown > 0n)
      sentences.push(
        `${wallet.address}: the basis of ${shown(open.unknown)} is unknown; unrealized gain covers the known part only.`,
      );
    if (holding.unmatched > 0n)
      sentences.push(
        `${wallet.address}: ${shown(holding.unmatched)} left without a lot${acquired}; no gain is computed for them.`,
      );
  }
  return sentences;
}
