/** Lots carried between own wallets (own_wallets=carry), by asset. Over all wallets, in equals out. */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import { formatCents, formatDecimal } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import { assetAccount } from '../../ledger/wallet.js';
import { Groups } from './groups.js';

export interface CarriedLine {
  readonly asset: string;
  readonly denom: string;
  readonly in_quantity: string;
  readonly in_cost_usd: string;
  readonly out_quantity: string;
  readonly out_cost_usd: string;
}

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
