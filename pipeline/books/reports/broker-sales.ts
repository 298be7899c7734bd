/**
 * Matches the sales that a broker reports, such as on Form 1099-DA, with the lots that had been sent there.
 *
 * Example: 60 coins are sent in March and 40 in May, and 10 of March's coins have come home. A sale of 70 coins in June
 * takes the other 50 of March and 20 of May. A sale of 30 coins in April takes nothing of May.
 */
import { halfUp } from '../../base/values/amount.js';
import { termOf } from '../ledger/slices.js';

/** A lot, or a part of a lot, that was sent to the broker. */
export interface SentLot {
  readonly asset: string;
  /** Day of the send, YYYY-MM-DD. */
  readonly sent: string;
  /** YYYY-MM-DD; null for coins from before the index, and for coins without a lot. */
  readonly acquired: string | null;
  /** Units of any size, the same for all quantities. */
  readonly quantity: bigint;
  /** The first units of the lot, which have come home since. */
  readonly returned: bigint;
  /** Cents, or null if unknown. */
  readonly cost: bigint | null;
}

export interface BrokerSale {
  readonly asset: string;
  readonly quantity: bigint;
  /** YYYY-MM-DD. */
  readonly sold: string;
  /** Cents, or null if unknown. */
  readonly proceeds: bigint | null;
}

/**
 * Why no lot fits sold coins: the asset was never sent there, the coins came home, they were sent there only after the
 * sale, or fewer were sent than sold.
 */
export type Misfit = 'other_asset' | 'came_home' | 'sold_before_sent' | 'too_much';

/** A part of a sale with its lot, or with the reason why no lot fits. */
export interface SoldPart<Lot extends SentLot = SentLot> {
  readonly sale: BrokerSale;
  readonly quantity: bigint;
  /** Cents, or null if unknown. Parts add up to the proceeds of their sale. */
  readonly proceeds: bigint | null;
  readonly lot: Lot | null;
  readonly misfit: Misfit | null;
  /** Cents, or null if unknown. Parts add up to the cost of their lot. */
  readonly cost: bigint | null;
  readonly gain: bigint | null;
  readonly term: 'SHORT' | 'LONG' | null;
}

interface Rest<Lot> {
  readonly lot: Lot;
  /** Units that have come home or are sold. */
  gone: bigint;
}

type Found<Lot> = { readonly quantity: bigint } & (
  | { readonly lot: Lot; readonly cost: bigint | null }
  | { readonly misfit: Misfit }
);

/**
 * @param lots in the order in which they were sent
 * @returns parts in the order of the sales' days
 */
export function matchSales<Lot extends SentLot>(
  lots: readonly Lot[],
  sales: readonly BrokerSale[],
): readonly SoldPart<Lot>[] {
  const books = new Map<string, Broker<Lot>>();
  for (const lot of lots) {
    const broker = books.get(lot.asset) ?? new Broker<Lot>();
    books.set(lot.asset, broker);
    broker.receive(lot);
  }
  const ordered = sales.toSorted((a, b) => (a.sold < b.sold ? -1 : a.sold > b.sold ? 1 : 0));
  return ordered.flatMap((sale) => {
    const broker = books.get(sale.asset);
    return partsOf(sale, broker ? broker.sell(sale) : [{ quantity: sale.quantity, misfit: 'other_asset' }]);
  });
}

/** The coins of one asset at the broker. They are sold in the order in which they were sent there. */
class Broker<Lot extends SentLot> {
  private readonly rests: Rest<Lot>[] = [];
  /** Sold units that came home by the owner's answers. */
  private soldOfReturned = 0n;

  receive(lot: Lot): void {
    this.rests.push({ lot, gone: lot.returned });
  }

  sell({ quantity, sold }: BrokerSale): Found<Lot>[] {
    const found: Found<Lot>[] = [];
    let left = quantity;
    const sent = this.rests.filter(({ lot }) => lot.sent <= sold);
    for (const rest of sent) {
      const units = min(left, rest.lot.quantity - rest.gone);
      if (units === 0n) continue;
      found.push({ quantity: units, lot: rest.lot, cost: take(rest, units) });
      left -= units;
    }
    const home = min(left, sum(sent.map(({ lot }) => lot.returned)) - this.soldOfReturned);
    this.soldOfReturned += home;
    const later = this.rests.filter(({ lot }) => lot.sent > sold);
    const early = min(left - home, sum(later.map(({ lot, gone }) => lot.quantity - gone)));
    const misfits = { came_home: home, sold_before_sent: early, too_much: left - home - early };
    for (const misfit of ['came_home', 'sold_before_sent', 'too_much'] as const)
      if (misfits[misfit] > 0n) found.push({ quantity: misfits[misfit], misfit });
    return found;
  }
}

/** Takes units out of a lot. @returns their part of its cost, by cumulative rounding */
function take(rest: Rest<SentLot>, units: bigint): bigint | null {
  const { cost, quantity } = rest.lot;
  const before = rest.gone;
  rest.gone += units;
  return cost === null ? null : halfUp(cost * rest.gone, quantity) - halfUp(cost * before, quantity);
}

function partsOf<Lot extends SentLot>(sale: BrokerSale, found: readonly Found<Lot>[]): SoldPart<Lot>[] {
  let done = 0n;
  const paid = (units: bigint) => halfUp(sale.proceeds! * units, sale.quantity);
  return found.map((one) => {
    const proceeds = sale.proceeds === null ? null : paid(done + one.quantity) - paid(done);
    done += one.quantity;
    if ('misfit' in one) return { ...one, sale, proceeds, lot: null, cost: null, gain: null, term: null };
    const { lot, cost } = one;
    const gain = proceeds === null || cost === null ? null : proceeds - cost;
    const term = lot.acquired === null ? null : termOf(lot.acquired, sale.sold);
    return { ...one, sale, proceeds, misfit: null, gain, term };
  });
}

const min = (one: bigint, other: bigint) => (one < other ? one : other);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
