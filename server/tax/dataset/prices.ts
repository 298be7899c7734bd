/** Prices of a denom: UTC day (YYYY-MM-DD) → micro-USD per displayed unit, days ascending. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** Returns the last day with a price up to the given day. Searches from the end, since recent days are usual. */
  lastDayUntil(day: string): string | undefined {
    return this.days.findLast((priced) => priced <= day);
  }
}
