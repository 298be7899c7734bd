/** Prices of a coin by UTC day (YYYY-MM-DD) in ascending order. Unit: micro-USD per displayed unit, such as ATOM. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** Searches backwards, because most requests concern recent days. */
  lastDayUntil(day: string): string | undefined {
    return this.days.findLast((priced) => priced <= day);
  }
}
