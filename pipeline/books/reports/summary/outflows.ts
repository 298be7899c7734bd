/**
 * Sums coins that left a wallet for good in a period. Disposals realize a gain. Reliefs, such as gifts and losses, do
 * not. A payment that was refunded in this or any later period is not in the sums, and neither is its refund.
 */

import { formatCents, formatDecimal, valueInCents } from '../../../base/values/amount.js';
import type { Entry } from '../../ledger/entry.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { readSlices, termOf } from '../../ledger/slices.js';

export class Groups<Labels extends Readonly<Record<string, string>>, Sums extends object> {
  private readonly groups = new Map<string, Labels & Sums>();

  constructor(private readonly zero: () => Sums) {}

  of(labels: Labels): Labels & Sums {
    const key = Object.values(labels).join('\n');
    const known = this.groups.get(key);
    if (known) return known;
    const group = { ...labels, ...this.zero() };
    this.groups.set(key, group);
    return group;
  }

  list(): (Labels & Sums)[] {
    const sorted = [...this.groups].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, group]) => group);
  }
}

interface Labels extends Readonly<Record<string, string>> {
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
}

/**
 * One line of the summary's disposals. USD amounts exclude disposals without a price, except `cost_without_price_usd`.
 */
export interface DisposalLine extends DisposalFigures {
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly quantity: string;
  readonly basis_unknown_quantity: string;
}

export interface DisposalFigures extends KnownSales {
  readonly count: number;
  readonly refunds: number;
  readonly without_price: number;
  readonly without_basis: number;
  readonly proceeds_usd: string;
  readonly proceeds_basis_unknown_usd: string;
  readonly refunded_proceeds_usd: string;
  readonly cost_usd: string;
  readonly cost_without_price_usd: string;
  readonly gain_short_usd: string;
  readonly gain_long_usd: string;
  readonly gain_usd: string;
}

/** How much is known of the gains. A sale is a disposal that no refund reversed. It may have a gain in both terms. */
export interface KnownSales {
  readonly sales: number;
  readonly sales_known: number;
  readonly sales_short: number;
  readonly sales_long: number;
  readonly sales_unknown: number;
  readonly gain_known: GainKnown;
}

/** `some`: at least one gain, but less than half of the sales, by number or by proceeds. */
export type GainKnown = 'all' | 'most' | 'some' | 'none';

export interface ReliefLine {
  readonly kind: ReliefKind;
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  readonly refunds: number;
  readonly without_price: number;
  readonly quantity: string;
  readonly basis_unknown_quantity: string;
  readonly cost_usd: string;
  readonly market_value_usd: string;
}

/** Payments of the period that were refunded after it, and earlier payments that were refunded in it. */
export interface RefundLine {
  readonly kind: 'refunded_later' | 'paid_earlier';
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  readonly quantity: string;
  readonly proceeds_usd: string;
  readonly proceeds_basis_unknown_usd: string;
  readonly cost_usd: string;
  readonly gain_usd: string;
}

type ReliefKind = 'gift' | 'donation' | 'loss' | 'own_transfer' | 'other';

export class Outflows {
  private readonly disposals = new Groups<Labels, { sums: DisposalSums }>(() => ({ sums: new DisposalSums() }));
  private readonly reliefs = new Groups<Labels, ReliefSums>(noReliefs);
  private readonly all = new DisposalSums();
  private readonly fees = new DisposalSums();
  /** Payments by row id, until they are refunded. */
  private readonly before = new Map<string, Outflow>();
  private readonly within = new Map<string, Outflow>();
  private readonly earlier: Outflow[] = [];
  private readonly refundedSales: string[] = [];

  constructor(private readonly rules: Rules) {}

  /** Registers an entry dated before the period, because a refund within the period may reverse it. */
  remember(entry: Entry, refunds: Refunds): void {
    const outflow = refunds.isRefunded(entry.event_id) ? outflowOf(entry) : undefined;
    if (outflow) this.before.set(entry.event_id, outflow);
  }

  add(entry: Entry, refunds: Refunds): void {
    const outflow = outflowOf(entry);
    const isRefunded = refunds.isRefunded(entry.event_id);
    if (outflow) this.sum(outflow, isRefunded);
    if (outflow && isRefunded) this.within.set(entry.event_id, outflow);
    if (outflow?.disposes && isRefunded) this.refundedSales.push(entry.event_id);
    const { act, reverses } = entry;
    if (act !== 'restore' || reverses === null || this.within.delete(reverses)) return;
    const earlier = this.before.get(reverses);
    if (earlier) this.earlier.push(earlier);
  }

  private sum(outflow: Outflow, isRefunded: boolean): void {
    const { account, category, asset, denom } = outflow;
    const labels = { account, category, asset, denom };
    if (!outflow.disposes) {
      addRelief(this.reliefs.of(labels), outflow, isRefunded, this.rules.denomination(denom).decimals);
      return;
    }
    for (const sums of [this.disposals.of(labels).sums, this.all, ...(account === FEES ? [this.fees] : [])])
      sums.add(outflow, isRefunded);
  }

  refundLines(): RefundLine[] {
    const line = (kind: RefundLine['kind'], outflows: Iterable<Outflow>): RefundLine[] => {
      const groups = new Groups<Labels, { sums: DisposalSums }>(() => ({ sums: new DisposalSums() }));
      for (const outflow of outflows) {
        const { account, category, asset, denom } = outflow;
        groups.of({ account, category, asset, denom }).sums.add(outflow, false);
      }
      return groups.list().map(({ sums, ...labels }) => {
        const { count, proceeds_usd, proceeds_basis_unknown_usd, cost_usd, gain_usd } = sums.figures();
        const quantity = formatDecimal(sums.quantity, this.rules.denomination(labels.denom).decimals);
        return { kind, ...labels, count, quantity, proceeds_usd, proceeds_basis_unknown_usd, cost_usd, gain_usd };
      });
    };
    return [...line('refunded_later', this.within.values()), ...line('paid_earlier', this.earlier)];
  }

  /** Rows of the period that are no sales, because a refund reversed them. */
  get refundedRows(): readonly string[] {
    return this.refundedSales;
  }

  disposed(): DisposalFigures {
    return this.all.figures();
  }

  feeTotal(): string {
    return this.fees.figures().proceeds_usd;
  }

  disposalLines(): DisposalLine[] {
    return this.disposals.list().map(({ sums, ...labels }) => {
      const { decimals } = this.rules.denomination(labels.denom);
      return {
        ...labels,
        quantity: formatDecimal(sums.quantity, decimals),
        basis_unknown_quantity: formatDecimal(sums.unknown, decimals),
        ...sums.figures(),
      };
    });
  }

  reliefLines(): ReliefLine[] {
    return this.reliefs.list().map(({ account, category, asset, denom, count, refunds, ...sums }) => {
      const { decimals } = this.rules.denomination(denom);
      const isUnknown = sums.quantity > 0n && sums.quantity === sums.unknown;
      return {
        ...{ kind: kindOf(account), account, category, asset, denom, count, refunds, without_price: sums.unpriced },
        quantity: formatDecimal(sums.quantity, decimals),
        basis_unknown_quantity: formatDecimal(sums.unknown, decimals),
        cost_usd: isUnknown ? '' : formatCents(sums.cost),
        market_value_usd: sums.unpriced > 0 && sums.worth === 0n ? '' : formatCents(sums.worth),
      };
    });
  }
}

const FEES = 'Expense: Network Fees';

const KINDS: readonly (readonly [account: string, kind: ReliefKind])[] = [
  ['Equity: Gifts', 'gift'],
  ['Expense: Donations', 'donation'],
  ['Loss: ', 'loss'],
  ['Equity: Own-Wallet Transfers', 'own_transfer'],
];

const kindOf = (account: string): ReliefKind => KINDS.find(([name]) => account.startsWith(name))?.[1] ?? 'other';

/** Quantities in base units, amounts in cents. */
interface Outflow {
  readonly disposes: boolean;
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly quantity: bigint;
  readonly unknown: bigint;
  /** Cents; cost of the coins with known basis. */
  readonly cost: bigint;
  readonly proceeds: bigint | null;
  readonly unknownProceeds: bigint;
  /** Cents; null if no slice of this term has a known gain. */
  readonly short: bigint | null;
  readonly long: bigint | null;
  readonly price: bigint | null;
}

const ACTS: ReadonlySet<string> = new Set(['dispose', 'relieve', 'burn-deposit']);

function outflowOf(entry: Entry): Outflow | undefined {
  if (!ACTS.has(entry.act)) return undefined;
  const { debit_account: account, category, asset, denom } = entry;
  return {
    ...{ disposes: entry.act === 'dispose', account, category, asset, denom },
    quantity: entry.quantity ?? 0n,
    unknown: entry.basis_unknown_quantity ?? 0n,
    cost: entry.amount,
    proceeds: entry.proceeds,
    price: entry.price,
    ...gainsOf(entry),
  };
}

function gainsOf({ slices, proceeds, day: sold }: Entry): Pick<Outflow, 'unknownProceeds' | 'short' | 'long'> {
  let unknownProceeds = 0n;
  let short: bigint | null = null;
  let long: bigint | null = null;
  if (proceeds === null) return { unknownProceeds, short, long };
  for (const { acquired, basis, proceeds } of readSlices(slices)) {
    if (basis === null || acquired === null) unknownProceeds += proceeds!;
    else if (termOf(acquired, sold) === 'SHORT') short = (short ?? 0n) + proceeds! - basis;
    else long = (long ?? 0n) + proceeds! - basis;
  }
  return { unknownProceeds, short, long };
}

class DisposalSums {
  count = 0;
  refunds = 0;
  unpriced = 0;
  unfounded = 0;
  withGain = 0;
  withShort = 0;
  withLong = 0;
  proceeds = 0n;
  unknownProceeds = 0n;
  refunded = 0n;
  cost = 0n;
  unpricedCost = 0n;
  short = 0n;
  long = 0n;
  quantity = 0n;
  unknown = 0n;

  add(outflow: Outflow, isRefunded: boolean): void {
    const { proceeds, cost } = outflow;
    this.count++;
    if (isRefunded) {
      this.refunds++;
      this.refunded += proceeds ?? 0n;
      return;
    }
    this.quantity += outflow.quantity;
    this.unknown += outflow.unknown;
    if (proceeds === null) {
      this.unpriced++;
      this.unpricedCost += cost;
      return;
    }
    if (outflow.unknown > 0n) this.unfounded++;
    this.proceeds += proceeds;
    this.unknownProceeds += outflow.unknownProceeds;
    this.cost += cost;
    if (outflow.short !== null || outflow.long !== null) this.withGain++;
    if (outflow.short !== null) this.withShort++;
    if (outflow.long !== null) this.withLong++;
    this.short += outflow.short ?? 0n;
    this.long += outflow.long ?? 0n;
  }

  /**
   * Returns the totals. Proceeds are '' if all disposals lack a price. A gain or cost is '' if no sale of it is known but
   * a sale of unknown gain may belong to it.
   */
  figures(): DisposalFigures {
    const known = this.known();
    const isUnpriced = known.sales > 0 && known.sales === this.unpriced;
    const shown = (cents: bigint) => (isUnpriced ? '' : formatCents(cents));
    const ofSales = (sales: number, cents: bigint) =>
      sales === 0 && known.gain_known !== 'all' ? '' : formatCents(cents);
    const ofBoth = (cents: bigint) => ofSales(known.sales_known, cents);
    return {
      count: this.count,
      refunds: this.refunds,
      without_price: this.unpriced,
      without_basis: this.unfounded,
      proceeds_usd: shown(this.proceeds),
      proceeds_basis_unknown_usd: shown(this.unknownProceeds),
      refunded_proceeds_usd: formatCents(this.refunded),
      cost_usd: ofBoth(this.cost),
      cost_without_price_usd: formatCents(this.unpricedCost),
      gain_short_usd: ofSales(known.sales_short, this.short),
      gain_long_usd: ofSales(known.sales_long, this.long),
      gain_usd: ofBoth(this.short + this.long),
      ...known,
    };
  }

  private known(): KnownSales {
    const sales = this.count - this.refunds;
    const unknown = this.unpriced + this.unfounded;
    const isHalf = 2 * unknown <= sales && 2n * this.unknownProceeds <= this.proceeds;
    return {
      sales,
      sales_known: this.withGain,
      sales_short: this.withShort,
      sales_long: this.withLong,
      sales_unknown: unknown,
      gain_known: unknown === 0 ? 'all' : this.withGain === 0 ? 'none' : isHalf ? 'most' : 'some',
    };
  }
}

const noReliefs = () => ({ count: 0, refunds: 0, unpriced: 0, quantity: 0n, unknown: 0n, cost: 0n, worth: 0n });

type ReliefSums = ReturnType<typeof noReliefs>;

function addRelief(sums: ReliefSums, outflow: Outflow, isRefunded: boolean, decimals: number): void {
  const { quantity, price } = outflow;
  sums.count++;
  if (isRefunded) {
    sums.refunds++;
    return;
  }
  sums.quantity += quantity;
  sums.unknown += outflow.unknown;
  sums.cost += outflow.cost;
  if (price === null) sums.unpriced++;
  else sums.worth += valueInCents(quantity, decimals, price);
}
