/** Commands about webhooks. */
import type { Command } from 'commander';
import type { Config } from '../../pipeline/config.js';
import { readReleases } from '../../server/dataset/dataset.js';
import type { Store } from '../../server/store/store.js';
import { deliverDue } from '../../server/webhooks/deliver.js';
import type { Job } from '../schedule/jobs.js';
import { withStore } from './accounts.js';

const deliver = (store: Store, { now, dataDir }: Pick<Config, 'now' | 'dataDir'>) =>
  deliverDue(store, now, readReleases(dataDir));

const deliverOnce = () =>
  withStore(async (store, _now, config) => {
    const { delivered, failed } = await deliver(store, config);
    console.log(`${delivered} delivered, ${failed} failed`);
  });

/** As often as the shortest wait before a repetition. */
export const deliveryJob = (store: Store, config: Pick<Config, 'now' | 'dataDir'>): Job => ({
  name: 'deliver-webhooks',
  times: '*/10 * * * * *',
  often: true,
  run: async () => void (await deliver(store, config)),
});

/** Adds the command to the program. */
export function addWebhookCommands(program: Command): void {
  program
    .command('deliver-webhooks')
    .description('tell endpoints of releases and upgrades that were found, and repeat what is due')
    .action(deliverOnce);
}
