/** Disposals of a period by account, category and asset, minus refunded disposals. */
import { formatCents, formatDecimal } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import { Groups } from './groups.js';
import type { Outflow } from './outflow.js';

const FEES = 'Expense: Network Fees';

/** Amounts cover disposals with a price, unless the name says otherwise. */
export interface DisposalLine extends DisposalFigures {
  readonly account: string;
  readonly category: string;
  readonly asset: string;
  readonly denom: string;
  readonly quantity: string;
  readonly basis_unknown_quantity: string;
}

export interface DisposalFigures {
  readonly count: number;
  readonly refunds: number;
  readonly without_price: number;
  readonly proceeds_usd: string;
  readonly proceeds_basis_unknown_usd: string;
  readonly refunded_proceeds_usd: string;
  readonly cost_usd: string;
  readonly cost_without_price_usd: string;
  readonly gain_short_usd: string;
  readonly gain_long_usd: string;
  readonly gain_usd: string;
}

/** Cents. */
class Sums {
  count = 0;
  refunds = 0;
  unpriced = 0;
  proceeds = 0n;
  unknownProceeds = 0n;
  refunded = 0n;
  cost = 0n;
  unpricedCost = 0n;
  short = 0n;
  long = 0n;
  quantity = 0n;
  unknown = 0n;

  /** @param sign -1n for a refund */
  add(outflow: Outflow, sign: 1n | -1n): void {
    const { proceeds, cost } = outflow;
    if (sign > 0n) this.count++;
    else this.refunds++;
    this.quantity += sign * outflow.quantity;
    this.unknown += sign * outflow.unknown;
    if (proceeds === null) {
      this.unpriced += Number(sign);
      this.unpricedCost += sign * cost;
      return;
    }
    this.proceeds += sign * proceeds;
    this.unknownProceeds += sign * outflow.unknownProceeds;
    if (sign < 0n) this.refunded += proceeds;
    this.cost += sign * cost;
    this.short += sign * outflow.short;
    this.long += sign * outflow.long;
  }

  /** Returns '' for figures that have no price at all. */
  figures(): DisposalFigures {
    const isUnknown = this.count > 0 && this.count - this.refunds === this.unpriced && this.unpriced > 0;
    const shown = (cents: bigint) => (isUnknown && cents === 0n ? '' : formatCents(cents));
    return {
      count: this.count,
      refunds: this.refunds,
      without_price: this.unpriced,
      proceeds_usd: shown(this.proceeds),
      proceeds_basis_unknown_usd: shown(this.unknownProceeds),
      refunded_proceeds_usd: formatCents(this.refunded),
      cost_usd: shown(this.cost),
      cost_without_price_usd: formatCents(this.unpricedCost),
      gain_short_usd: shown(this.short),
      gain_long_usd: shown(this.long),
      gain_usd: shown(this.short + this.long),
    };
  }
}

export class Disposals {
  private readonly kinds = new Groups<
    { account: string; category: string; asset: string; denom: string },
    { sums: Sums }
  >(() => ({ sums: new Sums() }));
  private readonly all = new Sums();
  private readonly feesOnly = new Sums();

  add(outflow: Outflow, sign: 1n | -1n): void {
    const { account, category, asset, denom } = outflow;
    this.kinds.of({ account, category, asset, denom }).sums.add(outflow, sign);
    this.all.add(outflow, sign);
    if (account === FEES) this.feesOnly.add(outflow, sign);
  }

  total(): DisposalFigures {
    return this.all.figures();
  }

  fees(): string {
    return this.feesOnly.figures().proceeds_usd;
  }

  lines(rules: Rules): DisposalLine[] {
    return this.kinds.list().map(({ account, category, asset, denom, sums }) => {
      const { decimals } = rules.denomination(denom);
      return {
        ...{ account, category, asset, denom },
        quantity: formatDecimal(sums.quantity, decimals),
        basis_unknown_quantity: formatDecimal(sums.unknown, decimals),
        ...sums.figures(),
      };
    });
  }
}
