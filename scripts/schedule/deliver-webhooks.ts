/** Delivers due webhook events, once or as a scheduled job. */
import type { Config } from '../../pipeline/config.js';
import { readReleases } from '../../server/dataset/releases.js';
import type { Store } from '../../server/store/store.js';
import { deliverDue } from '../../server/webhooks/deliver.js';
import type { Job } from './jobs.js';

/**
 * Delivers due events and counts them.
 * @param signal stops before the next attempt once aborted
 */
export const deliver = (store: Store, { now, dataDir }: Pick<Config, 'now' | 'dataDir'>, signal?: AbortSignal) =>
  deliverDue(store, now, readReleases(dataDir), { signal });

/** The delivery job; its interval is the shortest retry delay. */
export const deliveryJob = (store: Store, config: Pick<Config, 'now' | 'dataDir'>): Job => ({
  name: 'deliver-webhooks',
  times: '*/10 * * * * *',
  often: true,
  run: async (signal) => void (await deliver(store, config, signal)),
});
