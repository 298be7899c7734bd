import type { ActionEndpoint } from '../../endpoint.js';
import { findWebhook, listDeliveries, testWebhook } from '../../webhooks/webhooks.js';
import { common, found, onePath, ownedBy } from './webhooks.js';

export const testDelivery = {
  ...common,
  kind: 'action',
  method: 'POST',
  path: `${onePath}/test`,
  summary: 'Has an event `webhook.test` delivered, whatever the endpoint has subscribed to.',
  description:
    'It is attempted once; what came of it is told by the deliveries of the endpoint. Five tests an hour are made, and one that ' +
    'arrives has an endpoint delivered to again whose last five deliveries failed.',
  response: 'webhook-delivery',
  status: 201,
  idempotent: true,
  problems: ['not_found', 'rate_limited'],
  act: async (request) => ({ json: found(await testWebhook(request.store, ownedBy(request), request.now)) }),
} satisfies ActionEndpoint;

export const deliveries = {
  ...common,
  kind: 'action',
  method: 'GET',
  path: `${onePath}/deliveries`,
  summary: 'What was delivered to an endpoint, or waits to be, with the last answer.',
  response: 'webhook-deliveries',
  problems: ['not_found'],
  async act(request) {
    const { store, now } = request;
    const webhook = found(await findWebhook(store, ownedBy(request), now));
    return { json: { deliveries: await listDeliveries(store, webhook) } };
  },
} satisfies ActionEndpoint;
