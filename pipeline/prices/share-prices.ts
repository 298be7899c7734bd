/** Computes prices of tokenized shares (x/liquid) from the price of the coin for which they can be redeemed. */
import type { Price, ValidatorDay } from '../../schemas/types.generated.js';
import { PRICE_DECIMALS } from '../base/values/amount.js';
import { fromUnits, toUnits } from '../base/values/decimal.js';

const DERIVATION = 'tokens per share at the close × price of the staked coin';

const SHARE_DECIMALS = 18;

export interface ShareDenom {
  readonly denom: string;
  readonly validator: string;
}

export type ShareRate = Pick<ValidatorDay, 'validator' | 'day' | 'tokens' | 'shares'>;

/** Coins per share, by validator and day. A day without blocks has the rate of the last close before it. */
export class ShareRates {
  private readonly rows = new Map<string, ShareRate>();
  private readonly days: readonly string[];
  private readonly closes = new Map<string, string | undefined>();

  /** @param unknownFrom if holdings end before the index: the first later day on which a slash is possible */
  constructor(
    rows: Iterable<ShareRate>,
    private readonly unknownFrom?: string | null,
  ) {
    const days = new Set<string>();
    for (const row of rows) {
      days.add(row.day);
      this.rows.set(`${row.validator} ${row.day}`, row);
    }
    this.days = [...days].sort();
  }

  /** Undefined before the first close, after the validator's removal, and from `unknownFrom` on. */
  at(validator: string, day: string): ShareRate | undefined {
    if (this.unknownFrom && day >= this.unknownFrom) return undefined;
    if (!this.closes.has(day)) {
      this.closes.set(
        day,
        this.days.findLast((other) => other <= day),
      );
    }
    return this.rows.get(`${validator} ${this.closes.get(day)}`);
  }
}

export function sharePrices(shares: readonly ShareDenom[], coin: readonly Price[], rates: ShareRates): Price[] {
  return shares.flatMap(({ denom, validator }) =>
    coin.flatMap((price) => {
      const rate = rates.at(validator, price.day);
      const usd = rate ? sharePrice(price.usd, rate) : 0n;
      return usd > 0n ? [{ ...price, denom, usd, sources: DERIVATION, rejected: '' }] : [];
    }),
  );
}

/** Divides last, so that no intermediate result is rounded. */
function sharePrice(coin: bigint, { tokens, shares }: ShareRate): bigint {
  const usd = fromUnits(coin, PRICE_DECIMALS).times(tokens).dividedBy(fromUnits(shares, SHARE_DECIMALS));
  return toUnits(usd, PRICE_DECIMALS);
}
