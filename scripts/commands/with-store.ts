import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { type Config, readConfig } from '../../pipeline/config.js';
import { StoreUnavailable } from '../../server/people/store/session.js';
import { Store } from '../../server/people/store/store.js';
import { type ReviewDesk, serverDesk, storeDesk } from '../../server/people/submissions/review-desk.js';

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

/**
 * Opens the store directly. If a running server has opened the embedded store, sends requests to this server instead.
 */
export const atDesk = (work: (desk: ReviewDesk, now: Date) => Promise<void>): Promise<void> =>
  withStore(async (store, now, config) => work(await deskOf(store, config), now));

/** @throws StoreUnavailable if neither the store nor a server can be used */
async function deskOf(store: Store, config: Config): Promise<ReviewDesk> {
  const { dataDir, databaseUrl } = config;
  try {
    await store.open();
    return storeDesk(store, config);
  } catch (error) {
    const served = databaseUrl === undefined && error instanceof StoreUnavailable && (await serverDesk(dataDir));
    if (served) return served;
    throw error;
  }
}
