/**
 * Prices of tokenized shares (x/liquid): nobody quotes them, but each redeems a known amount of the staked coin. Pure.
 */
import type { Price, ValidatorDay } from '../../schemas/types.generated.js';
import { PRICE_DECIMALS } from '../ledger/amount.js';
import { fromUnits, toUnits } from '../ledger/decimal.js';

/** What stands in the place of sources. */
const DERIVATION = 'tokens per share at the close × price of the staked coin';

/** Decimal places of a validator's shares in ValidatorDay. */
const SHARE_DECIMALS = 18;

/** A share's denom and the operator of its validator. */
export interface ShareDenom {
  readonly denom: string;
  readonly validator: string;
}

/** The closed days of validators as a lookup: a day without blocks stands as the day before it. */
export class ShareRates {
  private readonly rows = new Map<string, ValidatorDay>();
  private readonly days: readonly string[];
  private readonly closes = new Map<string, string | undefined>();

  constructor(rows: Iterable<ValidatorDay>) {
    const days = new Set<string>();
    for (const row of rows) {
      days.add(row.day);
      this.rows.set(`${row.validator} ${row.day}`, row);
    }
    this.days = [...days].sort();
  }

  /** The validator at the last close up to that day; undefined before the first one, and where it is no more. */
  at(validator: string, day: string): ValidatorDay | undefined {
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
 * A price for every share and day with a price of the staked coin: that price × tokens per share, half-up to its own places.
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

/** Micro-USD for a share. The quotient comes last: a third of a price would be cut before it is rounded. */
function sharePrice(coin: bigint, { tokens, shares }: ValidatorDay): bigint {
  const usd = fromUnits(coin, PRICE_DECIMALS).times(tokens).dividedBy(fromUnits(shares, SHARE_DECIMALS));
  return toUnits(usd, PRICE_DECIMALS);
}
