/** `hubledger deliver-webhooks`: one round of deliveries. */
import type { Command } from 'commander';
import { readReleases } from '../../server/dataset/releases.js';
import { deliverDue } from '../../server/webhooks/deliver.js';
import { STORE_HELP, withStore } from './with-store.js';

const deliverOnce = () =>
  withStore(async (store, _now, { now, dataDir }) => {
    const { delivered, failed } = await deliverDue(store, now, readReleases(dataDir));
    console.log(`${delivered} delivered, ${failed} failed`);
  });

export const examples = [''];

export function declare(command: Command): void {
  command.addHelpText('afterAll', STORE_HELP).action(deliverOnce);
}
