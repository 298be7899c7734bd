/** Delivery of due webhook events: once, or as a job of the schedule. */
import type { Config } from '../../pipeline/config.js';
import { readReleases } from '../../server/dataset/releases.js';
import type { Store } from '../../server/store/store.js';
import { deliverDue } from '../../server/webhooks/deliver.js';
import type { Job } from './jobs.js';

/** Makes the deliveries that are due, and counts them. @param signal begins no further attempt once it is aborted */
export const deliver = (store: Store, { now, dataDir }: Pick<Config, 'now' | 'dataDir'>, signal?: AbortSignal) =>
  deliverDue(store, now, readReleases(dataDir), { signal });

/** The job that delivers: it runs as often as the shortest wait before a repetition. */
export const deliveryJob = (store: Store, config: Pick<Config, 'now' | 'dataDir'>): Job => ({
  name: 'deliver-webhooks',
  times: '*/10 * * * * *',
  often: true,
  run: async (signal) => void (await deliver(store, config, signal)),
});
