/** What was asked for lately, up to a total weight: what nobody has asked for the longest goes first. */
export class Recent<Value> {
  private readonly kept = new Map<string, { readonly value: Value; readonly weight: number }>();
  private weight = 0;

  constructor(private readonly limit: number) {}

  get(key: string): Value | undefined {
    const found = this.kept.get(key);
    if (found === undefined) return undefined;
    // A Map lists its keys as they came in: the latest is to be the last.
    this.kept.delete(key);
    this.kept.set(key, found);
    return found.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.drop(key);
    this.kept.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.kept.keys()) {
      if (this.weight <= this.limit) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.weight -= this.kept.get(key)?.weight ?? 0;
    this.kept.delete(key);
  }
}
