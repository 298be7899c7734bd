/**
 * What was looked up in the store within the last second. Programs ask many times a second with one key, and a look in the store takes
 * twenty times as long as an answer that is at hand. What this process changes counts at once, what another one does a second later.
 */
import { LRUCache } from 'lru-cache';

const REMEMBERED_MS = 1000;
const MOST = 10_000;

export class Remembered<Row extends object> {
  private readonly rows = new LRUCache<string, Row>({ max: MOST, ttl: REMEMBERED_MS });
  private changes = 0;

  /**
   * The row of that name, if it fits. What does not fit, or is not there, is looked for anew each time: another process may have changed
   * it, and nobody can fill the memory with names.
   * @param look gives the row, or none
   * @param fits hears also of none, so that it may take as long
   */
  async find(
    name: string,
    look: () => Promise<readonly Row[]>,
    fits: (row: Row | undefined) => boolean,
  ): Promise<Row | undefined> {
    const remembered = this.rows.get(name);
    if (remembered && fits(remembered)) return remembered;
    const { changes } = this;
    const [found] = await look();
    if (!fits(found)) return undefined;
    // What was changed meanwhile may have been read before.
    if (found && changes === this.changes) this.rows.set(name, found);
    return found;
  }

  /** To be called when the row was changed. */
  forget(name: string): void {
    this.changes++;
    this.rows.delete(name);
  }
}
