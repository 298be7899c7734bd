/** Published prices of a denom: UTC day, YYYY-MM-DD, to micro-USD for one displayed unit, days ascending. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  /** Reads them as the wallet index has them. */
  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** The last day up to the given one that has a price; undefined where none has. It is sought from the end, near which it mostly is. */
  lastDayUntil(day: string): string | undefined {
    return this.days.findLast((priced) => priced <= day);
  }
}
