/** `hubledger deliver-webhooks`: sends all webhook deliveries that are due, then exits. */
import type { Command } from 'commander';
import { deliverDue } from '../../server/people/webhooks/deliver.js';
import { restatementsReader } from '../../server/tax/dataset/health.js';
import { readReleases } from '../../server/tax/dataset/releases.js';
import { STORE_HELP, withStore } from './with-store.js';

const deliverOnce = () =>
  withStore(async (store, _now, { now, dataDir }) => {
    const { delivered, failed } = await deliverDue(store, now, readReleases(dataDir), {
      restatements: restatementsReader(dataDir)(),
    });
    console.log(`${delivered} delivered, ${failed} failed`);
  });

export const examples = [''];

export function declare(command: Command): void {
  command.addHelpText('afterAll', STORE_HELP).action(deliverOnce);
}
