/** Coins that left at basis without a gain, such as gifts and losses, minus refunds. */
import { formatCents, formatDecimal, valueInCents } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import { Groups } from './groups.js';
import type { Outflow } from './outflow.js';

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

export type ReliefKind = 'gift' | 'donation' | 'loss' | 'own_transfer' | 'other';

/** Account prefixes. */
const KINDS: readonly (readonly [account: string, kind: ReliefKind])[] = [
  ['Equity: Gifts', 'gift'],
  ['Expense: Donations', 'donation'],
  ['Loss: ', 'loss'],
  ['Equity: Own-Wallet Transfers', 'own_transfer'],
];

const kindOf = (account: string): ReliefKind => KINDS.find(([name]) => account.startsWith(name))?.[1] ?? 'other';

const nothing = () => ({ count: 0, refunds: 0, unpriced: 0, quantity: 0n, unknown: 0n, cost: 0n, worth: 0n });

export class Reliefs {
  private readonly kinds = new Groups<
    { account: string; category: string; asset: string; denom: string },
    ReturnType<typeof nothing>
  >(nothing);

  /** @param sign -1n for a refund */
  add(outflow: Outflow, sign: 1n | -1n, rules: Rules): void {
    const { account, category, asset, denom, quantity, price } = outflow;
    const kind = this.kinds.of({ account, category, asset, denom });
    if (sign > 0n) kind.count++;
    else kind.refunds++;
    kind.quantity += sign * quantity;
    kind.unknown += sign * outflow.unknown;
    kind.cost += sign * outflow.cost;
    if (price === null) kind.unpriced += Number(sign);
    else kind.worth += sign * valueInCents(quantity, rules.denomination(denom).decimals, price);
  }

  lines(rules: Rules): ReliefLine[] {
    return this.kinds.list().map(({ account, category, asset, denom, count, refunds, ...sums }) => {
      const { decimals } = rules.denomination(denom);
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
