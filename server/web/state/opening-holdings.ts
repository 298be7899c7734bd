/** Holdings of the wallets before the records begin, and how much of them their owner has stated. */
import { isZero } from '../values/decimal.js';
import type { Report } from './report.js';
import type { OpeningLot } from './statements.js';

export interface OpeningHolding {
  readonly address: string;
  readonly denom: string;
  readonly asset: string;
  /** Displayed units that nobody has said anything about. */
  readonly unstated: string;
  readonly stated: readonly OpeningLot[];
}

/** The holdings from before the index, wallet by wallet. */
export function openingHoldings({ summary, stated }: Report): OpeningHolding[] {
  return summary.wallets.flatMap(({ address, assets }) =>
    assets.flatMap(({ denom, asset, opening_before_index_quantity: unstated }) => {
      const lots = stated.openingLots.filter((lot) => lot.address === address && lot.denom === denom);
      return isZero(unstated) && lots.length === 0 ? [] : [{ address, denom, asset, unstated, stated: lots }];
    }),
  );
}
