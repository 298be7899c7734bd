/**
 * Caches rows of keys and sessions for a second: a query takes twenty times as long. Changes by other processes apply
 * after that second.
 */
import { LRUCache } from 'lru-cache';

const LIFETIME_MS = 1000;
const ROWS_MAX = 20_000;

export class LookupCache {
  private readonly rows: LRUCache<string, object>;
  private changes = 0;

  constructor(lifetimeMs = LIFETIME_MS) {
    this.rows = new LRUCache({ max: ROWS_MAX, ttl: lifetimeMs });
  }

  /**
   * Returns the row if `fits` accepts it. Only such rows are cached, so random names cannot fill the memory.
   * @param name kind and id: a name always has rows of one type
   * @param fits also called with undefined, so that a missing row takes as long as a wrong secret
   */
  async find<Row extends object>(
    name: string,
    lookUp: () => Promise<readonly Row[]>,
    fits: (row: Row | undefined) => boolean,
  ): Promise<Row | undefined> {
    const cached = this.rows.get(name) as Row | undefined;
    if (cached && fits(cached)) return cached;
    const { changes } = this;
    const [found] = await lookUp();
    if (!fits(found)) return undefined;
    // A row that changed during the lookup may be stale.
    if (found && changes === this.changes) this.rows.set(name, found);
    return found;
  }

  /** Drops a row; must be called after each change to it. */
  forget(name: string): void {
    this.changes++;
    this.rows.delete(name);
  }

  clear(): void {
    this.changes++;
    this.rows.clear();
  }
}
