/** Counts comparisons of one kind and collects the first differences. */
import type { Check } from './verify.js';

export class Tally {
  compared = 0;
  differing = 0;
  private readonly lines: string[] = [];

  /** @param shown maximum number of collected differences */
  constructor(
    private readonly kind: string,
    private readonly shown: number,
  ) {}

  /** Compares two texts; undefined means missing. */
  compare(name: string, published: string | undefined, exported: string | undefined): void {
    this.compared++;
    if (published !== exported) this.differ(name, published, exported);
  }

  differ(name: string, published = 'nothing', exported = 'nothing'): void {
    this.differing++;
    if (this.lines.length < this.shown) this.lines.push(`${name}: ${published}, the export has ${exported}`);
  }

  /** Returns the result, with differences on extra lines. */
  check(height: number): Check {
    const { kind, compared, differing, lines } = this;
    const text = `export at ${height}: ${kind}: ${compared} compared, ${differing} differ`;
    const more = differing > lines.length ? [`and ${differing - lines.length} more`] : [];
    return { ok: differing === 0, text: [text, ...lines, ...more].join('\n  ') };
  }
}
