/** `hubledger deliver-webhooks`: one round of deliveries. */
import type { Command } from 'commander';
import { deliver } from '../schedule/deliver-webhooks.js';
import { STORE_HELP, withStore } from './with-store.js';

const deliverOnce = () =>
  withStore(async (store, _now, config) => {
    const { delivered, failed } = await deliver(store, config);
    console.log(`${delivered} delivered, ${failed} failed`);
  });

export const examples = [''];

export function declare(command: Command): void {
  command.addHelpText('afterAll', STORE_HELP).action(deliverOnce);
}
