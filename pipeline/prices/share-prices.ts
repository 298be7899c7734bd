/** Prices of tokenized shares (x/liquid), derived from the staked coin that each redeems. */
import type { Price, ValidatorDay } from '../../schemas/types.generated.js';
import { PRICE_DECIMALS } from '../ledger/amount.js';
import { fromUnits, toUnits } from '../ledger/decimal.js';

/** `sources` of a derived price. */
const DERIVATION = 'tokens per share at the close × price of the staked coin';

const SHARE_DECIMALS = 18;

export interface ShareDenom {
  readonly denom: string;
  readonly validator: string;
}

export type ShareRate = Pick<ValidatorDay, 'validator' | 'day' | 'tokens' | 'shares'>;

/** A day without blocks uses the previous close. */
export class ShareRates {
  private readonly rows = new Map<string, ShareRate>();
  private readonly days: readonly string[];
  private readonly closes = new Map<string, string | undefined>();

  /** @param unknownFrom first day with a possible slash after the last close, if holdings end before the index */
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

  /** Returns undefined before the first close, after the validator's removal, and from `unknownFrom` on. */
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

/** Prices each share at coin price × tokens per share, rounded once. */
export function sharePrices(shares: readonly ShareDenom[], coin: readonly Price[], rates: ShareRates): Price[] {
  return shares.flatMap(({ denom, validator }) =>
    coin.flatMap((price) => {
      const rate = rates.at(validator, price.day);
      const usd = rate ? sharePrice(price.usd, rate) : 0n;
      return usd > 0n ? [{ ...price, denom, usd, sources: DERIVATION, rejected: '' }] : [];
    }),
  );
}

/** Divides last, to avoid rounding an intermediate quotient. */
function sharePrice(coin: bigint, { tokens, shares }: ShareRate): bigint {
  const usd = fromUnits(coin, PRICE_DECIMALS).times(tokens).dividedBy(fromUnits(shares, SHARE_DECIMALS));
  return toUnits(usd, PRICE_DECIMALS);
}
