/** The endpoints that manage webhooks. */
import type { ActionEndpoint } from '../../endpoint.js';
import { deliveries, testDelivery } from './deliveries.js';
import { changedWebhook, newWebhook, removedWebhook, rotatedSecret, webhook, webhooks } from './webhooks.js';

export const webhookEndpoints: readonly ActionEndpoint[] = [
  webhooks,
  newWebhook,
  webhook,
  changedWebhook,
  removedWebhook,
  rotatedSecret,
  testDelivery,
  deliveries,
];
