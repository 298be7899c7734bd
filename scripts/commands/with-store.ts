/** Opens the store for one command. */

import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { type Config, readConfig } from '../../pipeline/config.js';
import { Store } from '../../server/people/store/store.js';

/** Help of commands that cannot ask a running server. */
export const STORE_HELP = `
With the embedded store, stop the server first: the store belongs to one process. With PostgreSQL no stop is needed.`;

/**
 * Opens the store, runs the work and closes it.
 * @throws VariableError first, if the embedded store's folder is not writable
 */
export async function withStore(work: (store: Store, now: Date, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig();
  if (config.databaseUrl === undefined) await requireLocks(config.dataDir);
  const store = new Store(config);
  try {
    await work(store, config.now(), config);
  } finally {
    await store.close();
  }
}
