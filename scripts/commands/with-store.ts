import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { type Config, readConfig } from '../../pipeline/config.js';
import { Store } from '../../server/people/store/store.js';

/** Help text of commands that cannot run while a server has opened the embedded store. */
export const STORE_HELP = `
With the embedded store, stop the server first, because only one process can open this store.
With PostgreSQL, the server can keep running.`;

/**
 * Opens the store while the work runs.
 * @throws VariableError if the folder of the embedded store is not writable
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
