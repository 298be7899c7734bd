/** Commands about webhooks. */
import type { Command } from 'commander';
import { readReleases } from '../server/dataset.js';
import { deliverDue } from '../server/webhooks/deliver.js';
import { withStore } from './account-commands.js';

const deliver = () =>
  withStore(async (store, _now, config) => {
    const { delivered, failed } = await deliverDue(store, config.now, readReleases(config.dataDir));
    console.log(`${delivered} delivered, ${failed} failed`);
  });

/** Adds the command to the program. */
export function addWebhookCommands(program: Command): void {
  program
    .command('deliver-webhooks')
    .description('tell endpoints of releases and upgrades that were found, and repeat what is due')
    .action(deliver);
}
