/**
 * What was looked up in the store within the last second. Programs ask many times a second with one key, and a look in the store takes
 * twenty times as long as an answer that is at hand. What this process changes counts at once, what another one does a second later.
 */
import { LRUCache } from 'lru-cache';

const REMEMBERED_MS = 1000;
const MOST = 10_000;

export class Remembered<Row extends object> {
  private readonly rows = new LRUCache<string, Row>({ max: MOST, ttl: REMEMBERED_MS });

  /**
   * The row of that name. One that is not there is looked for anew each time: nobody can fill the memory with names.
   * @param look gives the row, or none
   */
  async find(name: string, look: () => Promise<readonly Row[]>): Promise<Row | undefined> {
    const remembered = this.rows.get(name);
    if (remembered) return remembered;
    const [found] = await look();
    if (found) this.rows.set(name, found);
    return found;
  }

  /** To be called when the row was changed. */
  forget(name: string): void {
    this.rows.delete(name);
  }
}
