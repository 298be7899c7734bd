/** Opens the queue, the object store and a cache for workers, and for nightly runs with HUBLEDGER_QUEUE_URL. */
import type { Config } from '../../config.js';
import { DatasetStore } from '../../publish/store/dataset-store.js';
import { expectNotLost } from '../../publish/store/night-store.js';
import { STORE_PATIENCE_MS } from '../../publish/store/object-store.js';
import { probe } from '../../publish/store/open-object-store.js';
import type { Executor } from '../jobs/run-jobs.js';
import { ThreadPool } from '../jobs/thread-pool.js';
import type { NightOptions } from '../night.js';
import type { Progress } from '../progress.js';
import { type NightQueue, openQueue } from './night-queue.js';
import { ObjectCache } from './object-cache.js';
import { QueueKey } from './queue-key.js';
import { RemoteExecutor } from './remote-executor.js';
import { NightWorker } from './run-worker.js';

interface QueueParts {
  readonly queue: NightQueue;
  readonly store: DatasetStore;
  readonly cache: ObjectCache;
}

export async function openParts(config: Config, url: string, say: Progress['say']): Promise<QueueParts> {
  const patience = { forMs: STORE_PATIENCE_MS, say };
  const store = await DatasetStore.open(config.storeUrl!, config.s3Endpoint, patience);
  await expectNotLost(store, config.dataDir);
  await probe(store.objects);
  const queue = await openQueue(url, new QueueKey(config.queueKey!, await store.makeId()), patience);
  return { queue, store, cache: new ObjectCache(store, config.dataDir, config.cacheBytes) };
}

/** Time for the process to print its last lines before it exits. */
const EXIT_MS = 2000;

const quiet = { begin() {}, update() {}, end() {}, fail() {} };

/**
 * Opens the queue for a nightly run. The run also starts a worker on its own threads, so it can finish without other
 * machines.
 * @param url HUBLEDGER_QUEUE_URL
 */
export async function openRemote(
  config: Config,
  url: string,
  { workers, full }: NightOptions,
  { say }: Progress,
): Promise<{ readonly executor: Executor; close(): Promise<void> }> {
  const { dataDir } = config;
  const { queue, store, cache } = await openParts(config, url, say);
  say(`jobs go to the queue at ${queue.place}`, { own_threads: workers });
  const threads = new ThreadPool(workers);
  const parts = { queue, store, cache, dataDir, executor: threads, threads: workers, progress: { ...quiet, say } };
  const worker = workers > 0 ? new NightWorker(parts) : undefined;
  return {
    executor: new RemoteExecutor(queue, { dataDir, store, cache: worker && cache, isFull: full ?? false, say }),
    async close() {
      const left = (await worker?.close()) ?? 0;
      if (left === 0) await threads.close();
      // Exits explicitly, because an open connection or an interrupted job would keep this process alive.
      setTimeout(() => process.exit(), EXIT_MS).unref();
      await queue.close();
    },
  };
}
