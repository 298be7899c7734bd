/** Counts what was compared of one kind, and keeps the first differences. */
import type { Check } from './verify.js';

export class Tally {
  compared = 0;
  differing = 0;
  private readonly lines: string[] = [];

  /** @param shown differences that are kept at most */
  constructor(
    private readonly kind: string,
    private readonly shown: number,
  ) {}

  /** Compares two texts; undefined is what one side does not have. */
  compare(name: string, published: string | undefined, exported: string | undefined): void {
    this.compared++;
    if (published !== exported) this.differ(name, published, exported);
  }

  differ(name: string, published = 'nothing', exported = 'nothing'): void {
    this.differing++;
    if (this.lines.length < this.shown) this.lines.push(`${name}: ${published}, the export says ${exported}`);
  }

  /** The outcome as a line, the differences on lines of their own. */
  check(height: number): Check {
    const { kind, compared, differing, lines } = this;
    const text = `export at ${height}: ${kind}: ${compared} compared, ${differing} differ`;
    const more = differing > lines.length ? [`and ${differing - lines.length} more`] : [];
    return { ok: differing === 0, text: [text, ...lines, ...more].join('\n  ') };
  }
}
