export class Groups<Labels extends Readonly<Record<string, string>>, Sums extends object> {
  private readonly groups = new Map<string, Labels & Sums>();

  constructor(private readonly zero: () => Sums) {}

  of(labels: Labels): Labels & Sums {
    const key = Object.values(labels).join('\n');
    const known = this.groups.get(key);
    if (known) return known;
    const group = { ...labels, ...this.zero() };
    this.groups.set(key, group);
    return group;
  }

  /** Sorted by labels. */
  list(): (Labels & Sums)[] {
    const sorted = [...this.groups].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, group]) => group);
  }
}
