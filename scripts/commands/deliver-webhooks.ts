/** `hubledger deliver-webhooks`: one round of deliveries. */
import type { Command } from 'commander';
import { deliver } from '../schedule/deliver-webhooks.js';
import { withStore } from './with-store.js';

const deliverOnce = () =>
  withStore(async (store, _now, config) => {
    const { delivered, failed } = await deliver(store, config);
    console.log(`${delivered} delivered, ${failed} failed`);
  });

export function declare(command: Command): void {
  command.action(deliverOnce);
}
