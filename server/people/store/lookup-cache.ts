/**
 * Caches the rows of API keys and sessions for a second, because a query takes twenty times as long as a cache lookup.
 * Changes by another process are visible after at most a second.
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
   * Returns the row if `fits` accepts it. Does not cache rejected rows, so that guessed keys cannot fill the memory.
   * @param name kind and id, such as `key 0123456789abcdef`
   * @param fits also called if there is no row, so that a missing row takes as long as a wrong secret
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
    // A row that may have changed during the query is not cached.
    if (found && changes === this.changes) this.rows.set(name, found);
    return found;
  }

  /** Removes a row from the cache. Must be called after each change of the row in the database. */
  forget(name: string): void {
    this.changes++;
    this.rows.delete(name);
  }

  clear(): void {
    this.changes++;
    this.rows.clear();
  }
}
