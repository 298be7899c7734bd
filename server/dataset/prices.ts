/** Published prices of a denom: UTC day, YYYY-MM-DD, to micro-USD for one displayed unit, days ascending. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  /** Reads them as the wallet index has them. */
  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** The last day up to the given one that has a price; undefined where none has. There are thousands of days. */
  lastDayUntil(day: string): string | undefined {
    let [low, high] = [0, this.days.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.days[middle]! <= day) low = middle + 1;
      else high = middle;
    }
    return this.days[low - 1];
  }
}
