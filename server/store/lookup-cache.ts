/**
 * Lookup cache: rows of keys and sessions that were looked up in the store within the last second. Programs ask many times a second
 * with one key, and asking the store takes twenty times as long as an answer that is at hand. What this process changes counts at
 * once, what another one changes a second later.
 */
import { LRUCache } from 'lru-cache';

const LIFETIME_MS = 1000;
/** Rows of about half a kilobyte. */
const ROWS_MAX = 20_000;

/** The cache of a store's rows that were looked up lately. */
export class LookupCache {
  private readonly rows: LRUCache<string, object>;
  private changes = 0;

  /** @param lifetimeMs time that a row counts as it was looked up */
  constructor(lifetimeMs = LIFETIME_MS) {
    this.rows = new LRUCache({ max: ROWS_MAX, ttl: lifetimeMs });
  }

  /**
   * The row of that name, if it fits. A row that does not fit, or is not there, is looked up anew each time: another process may
   * have changed it, and nobody can fill the memory with names.
   * @param name kind and id: a name always stands for rows of one type
   * @param lookUp gives the row, or none
   * @param fits is also called with undefined, so that a missing row takes as long to check as a wrong secret
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
    // A row that was changed meanwhile may have been read before.
    if (found && changes === this.changes) this.rows.set(name, found);
    return found;
  }

  /** Drops a row; called whenever it was changed. */
  forget(name: string): void {
    this.changes++;
    this.rows.delete(name);
  }

  /** Drops every row; called when changes of a transaction come into force, since rows may have been read as they were before. */
  clear(): void {
    this.changes++;
    this.rows.clear();
  }
}
