import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents, formatDecimal } from '../../base/values/amount.js';
import type { Rules } from '../../ledger/rules.js';
import { creditedUnknown } from '../../ledger/slices.js';
import { assetAccount } from '../../ledger/wallet.js';
import type { OpenHolding } from '../positions.js';
import { Groups } from './groups.js';

/** Opening and closing figures equal /positions on the day before the period and on its last day. */
export interface AssetLine {
  readonly asset: string;
  readonly denom: string;
  readonly opening_quantity: string;
  readonly opening_basis_unknown_quantity: string;
  readonly opening_before_index_quantity: string;
  readonly opening_cost_usd: string;
  readonly in_quantity: string;
  readonly in_basis_unknown_quantity: string;
  readonly in_cost_usd: string;
  readonly out_quantity: string;
  readonly out_basis_unknown_quantity: string;
  readonly out_cost_usd: string;
  /** Quantity that left without a lot or opening coins. */
  readonly no_lot_quantity: string;
  readonly closing_quantity: string;
  readonly closing_basis_unknown_quantity: string;
  readonly closing_before_index_quantity: string;
  readonly closing_cost_usd: string;
}

/** Base units and cents. */
interface Amount {
  quantity: bigint;
  unknown: bigint;
  beforeIndex: bigint;
  cost: bigint;
}

const none = (): Amount => ({ quantity: 0n, unknown: 0n, beforeIndex: 0n, cost: 0n });

export class Assets {
  private readonly assets = new Groups<
    { asset: string; denom: string },
    { opening: Amount; in: Amount; out: Amount; closing: Amount }
  >(() => ({ opening: none(), in: none(), out: none(), closing: none() }));

  /** Adds a wallet's open lots and opening coins. */
  addHoldings(moment: 'opening' | 'closing', held: readonly OpenHolding[]): void {
    for (const { holding, open } of held) {
      if (open.quantity === 0n && open.opening === 0n) continue;
      const amount = this.assets.of({ asset: holding.symbol, denom: holding.denom })[moment];
      move(amount, open.quantity, open.unknown, open.cost);
      amount.beforeIndex += open.opening;
    }
  }

  add(entry: LedgerEntry): void {
    // Stated opening lots are already part of the opening holdings.
    if (entry.act === 'open') return;
    const { asset, denom, basis_unknown_quantity: unknown } = entry;
    if (entry.debit_account === assetAccount(asset))
      move(this.assets.of({ asset, denom }).in, entry.quantity, unknown, entry.amount_usd);
    const credited = entry.credit_asset ?? asset;
    if (entry.credit_account !== assetAccount(credited)) return;
    const group = this.assets.of({ asset: credited, denom: entry.credit_denom ?? denom });
    move(group.out, entry.credit_quantity ?? entry.quantity, creditedUnknown(entry), entry.amount_usd);
  }

  get unknownAtClose(): number {
    return this.assets.list().filter(({ closing }) => closing.unknown > 0n || closing.beforeIndex > 0n).length;
  }

  lines(rules: Rules): AssetLine[] {
    return this.assets.list().map(({ asset, denom, opening, in: incoming, out, closing }) => {
      const shown = (units: bigint) => formatDecimal(units, rules.denomination(denom).decimals);
      return {
        ...{ asset, denom },
        opening_quantity: shown(opening.quantity),
        opening_basis_unknown_quantity: shown(opening.unknown),
        opening_before_index_quantity: shown(opening.beforeIndex),
        opening_cost_usd: costOf(opening),
        in_quantity: shown(incoming.quantity),
        in_basis_unknown_quantity: shown(incoming.unknown),
        in_cost_usd: costOf(incoming),
        out_quantity: shown(out.quantity),
        out_basis_unknown_quantity: shown(out.unknown),
        out_cost_usd: costOf(out),
        no_lot_quantity: shown(held(closing) + out.quantity - held(opening) - incoming.quantity),
        closing_quantity: shown(closing.quantity),
        closing_basis_unknown_quantity: shown(closing.unknown),
        closing_before_index_quantity: shown(closing.beforeIndex),
        closing_cost_usd: costOf(closing),
      };
    });
  }
}

const held = ({ quantity, beforeIndex }: Amount) => quantity + beforeIndex;

function move(amount: Amount, quantity: bigint | null, unknown: bigint | null, cost: bigint): void {
  amount.quantity += quantity ?? 0n;
  amount.unknown += unknown ?? 0n;
  amount.cost += cost;
}

/** Returns the known cost; '' if no basis is known, as in /positions. */
const costOf = ({ quantity, unknown, cost }: Amount) => (quantity === unknown && cost === 0n ? '' : formatCents(cost));

export interface CarriedLine {
  readonly asset: string;
  readonly denom: string;
  readonly in_quantity: string;
  readonly in_cost_usd: string;
  readonly out_quantity: string;
  readonly out_cost_usd: string;
}

/** Lots carried between own wallets (own_wallets=carry), by asset. Over all wallets, in equals out. */
export class Carried {
  private readonly assets = new Groups<
    { asset: string; denom: string },
    { in: { quantity: bigint; cost: bigint }; out: { quantity: bigint; cost: bigint } }
  >(() => ({ in: { quantity: 0n, cost: 0n }, out: { quantity: 0n, cost: 0n } }));

  add({ act, asset, denom, debit_account, quantity, amount_usd }: LedgerEntry): void {
    if (act !== 'carry') return;
    const moved = this.assets.of({ asset, denom })[debit_account === assetAccount(asset) ? 'in' : 'out'];
    moved.quantity += quantity ?? 0n;
    moved.cost += amount_usd;
  }

  lines(rules: Rules): CarriedLine[] {
    return this.assets.list().map(({ asset, denom, in: incoming, out }) => {
      const { decimals } = rules.denomination(denom);
      return {
        ...{ asset, denom },
        in_quantity: formatDecimal(incoming.quantity, decimals),
        in_cost_usd: formatCents(incoming.cost),
        out_quantity: formatDecimal(out.quantity, decimals),
        out_cost_usd: formatCents(out.cost),
      };
    });
  }
}
