/**
 * Prices of tokenized shares (x/liquid) as a pure function: nobody quotes them, but each redeems a known amount of the staked coin.
 */
import type { Price, ValidatorDay } from '../../schemas/types.generated.js';
import { PRICE_DECIMALS } from '../ledger/amount.js';
import { fromUnits, toUnits } from '../ledger/decimal.js';

/** The `sources` of a share's price, which says how it is derived. */
const DERIVATION = 'tokens per share at the close × price of the staked coin';

/** Decimal places of a validator's shares in ValidatorDay. */
const SHARE_DECIMALS = 18;

/** The denom of a tokenized share and the operator of its validator. */
export interface ShareDenom {
  readonly denom: string;
  readonly validator: string;
}

/** A validator at the close of a day, as far as the price of its shares follows from it. */
export type ShareRate = Pick<ValidatorDay, 'validator' | 'day' | 'tokens' | 'shares'>;

/** Lookup of validators at the close of a day; a day without blocks closes like the day before it. */
export class ShareRates {
  private readonly rows = new Map<string, ShareRate>();
  private readonly days: readonly string[];
  private readonly closes = new Map<string, string | undefined>();

  /** @param unknownFrom the first day on which a validator may have been slashed after the last close, where holdings end before the index */
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

  /** The validator at the last close up to that day; undefined before the first close, after its removal, and from the unknown day on. */
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

/**
 * Prices every share on each day with a price of the staked coin: that price × tokens per share, rounded once.
 * @param shares sorted by denom @param coin prices of the staked coin, ascending, in micro-USD for one displayed unit
 */
export function sharePrices(shares: readonly ShareDenom[], coin: readonly Price[], rates: ShareRates): Price[] {
  return shares.flatMap(({ denom, validator }) =>
    coin.flatMap((price) => {
      const rate = rates.at(validator, price.day);
      const usd = rate ? sharePrice(price.usd, rate) : 0n;
      return usd > 0n ? [{ ...price, denom, usd, sources: DERIVATION, rejected: '' }] : [];
    }),
  );
}

/** The price of a share in micro-USD. The division comes last, because a quotient in between would be rounded before its time. */
function sharePrice(coin: bigint, { tokens, shares }: ShareRate): bigint {
  const usd = fromUnits(coin, PRICE_DECIMALS).times(tokens).dividedBy(fromUnits(shares, SHARE_DECIMALS));
  return toUnits(usd, PRICE_DECIMALS);
}
