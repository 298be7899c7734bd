/** The store, open for one command. */
import { type Config, readConfig } from '../../pipeline/config.js';
import { Store } from '../../server/store/store.js';

/** Opens the store, does the work and closes it. */
export async function withStore(work: (store: Store, now: Date, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig();
  const store = new Store(config);
  try {
    await work(store, config.now(), config);
  } finally {
    await store.close();
  }
}
