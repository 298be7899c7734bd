/** Holdings at the start of the index, and how much of them has opening lots. */
import { isZero } from '../values/decimal.js';
import type { Report } from './report.js';
import type { OpeningLot } from './statements.js';

export interface OpeningHolding {
  readonly address: string;
  readonly denom: string;
  readonly asset: string;
  /** Displayed units without opening lots. */
  readonly unstated: string;
  readonly stated: readonly OpeningLot[];
}

export function openingHoldings({ summary, stated }: Report): OpeningHolding[] {
  return summary.wallets.flatMap(({ address, assets }) =>
    assets.flatMap(({ denom, asset, opening_before_index_quantity: unstated }) => {
      const lots = stated.openingLots.filter((lot) => lot.address === address && lot.denom === denom);
      return isZero(unstated) && lots.length === 0 ? [] : [{ address, denom, asset, unstated, stated: lots }];
    }),
  );
}
