/** Endpoints for webhooks: URLs of users, which receive events about releases and upgrades (decision U6). */
import type { NewWebhook, WebhookChange } from '../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest } from '../api/endpoint.js';
import { requireFound } from '../http/problem.js';
import {
  addWebhook,
  changeWebhook,
  findWebhook,
  listDeliveries,
  listWebhooks,
  type Owned,
  removeWebhook,
  rotateSecret,
  testWebhook,
} from '../people/webhooks/webhooks.js';

const path = '/api/upgrades/v1/webhooks';
const onePath = `${path}/{webhook_id}`;

const common = {
  kind: 'action',
  caller: 'upgrades:webhooks',
  access: 'same-origin',
  parameters: [],
  policy: 'tax',
} as const;

const ownedBy = ({ caller, parameters: { webhook_id: id } }: ActionRequest): Owned => ({
  account: caller!.account,
  id,
});

const found = <Found>(value: Found | undefined) => requireFound(value, 'you have no endpoint with this id');

export const webhookEndpoints: readonly ActionEndpoint[] = [
  {
    ...common,
    method: 'GET',
    path,
    summary: 'Your endpoints, without their secrets.',
    response: 'webhooks',
    act: async ({ caller, store, now }) => ({ json: { webhooks: await listWebhooks(store, caller!.account, now) } }),
  },
  {
    ...common,
    method: 'POST',
    path,
    summary: 'Creates an endpoint for event deliveries and returns its signing secret, only this once.',
    description:
      'Each delivery is a POST of `{id, type, created_at, data}`, signed in `X-Service-Timestamp` and ' +
      '`X-Service-Signature`. Anything but a 2xx within 8 seconds is retried after 10 seconds, 1 and 5 and 30 ' +
      'minutes, 2, 6 and 12 hours; handlers must be idempotent on the `id`.',
    body: 'webhook',
    response: 'webhook',
    status: 201,
    idempotent: true,
    problems: ['conflict'],
    act: async ({ caller, body, store, now }) => ({
      json: await addWebhook(store, caller!.account, body as NewWebhook, now),
    }),
  },
  {
    ...common,
    method: 'GET',
    path: onePath,
    summary: 'One of your endpoints.',
    response: 'webhook',
    problems: ['not_found'],
    act: async (request) => ({ json: found(await findWebhook(request.store, ownedBy(request), request.now)) }),
  },
  {
    ...common,
    method: 'PATCH',
    path: onePath,
    summary: 'Changes an endpoint’s URL or events. Pending deliveries go to the new URL.',
    body: 'webhook-change',
    response: 'webhook',
    problems: ['not_found'],
    async act(request) {
      const { store, body, now } = request;
      return { json: found(await changeWebhook(store, ownedBy(request), body as WebhookChange, now)) };
    },
  },
  {
    ...common,
    method: 'DELETE',
    path: onePath,
    summary: 'Deletes an endpoint and its pending deliveries.',
    response: 'none',
    problems: ['not_found'],
    async act(request) {
      found(await removeWebhook(request.store, ownedBy(request)));
      return {};
    },
  },
  {
    ...common,
    method: 'POST',
    path: `${onePath}/rotate-secret`,
    summary: 'Rotates an endpoint’s signing secret and returns the new one, only this once.',
    description:
      'For 24 hours deliveries also carry `X-Service-Signature-Previous`, made with the old secret: a receiver ' +
      'that accepts either misses nothing. With an `Idempotency-Key`, a retry returns the same new secret. Without ' +
      'it, a retry rotates again, and the header then carries the signatures of all secrets of the last 24 hours, ' +
      'separated by `, `. At most five rotations in 24 hours.',
    response: 'webhook',
    idempotent: true,
    problems: ['not_found', 'rate_limited'],
    act: async (request) => ({ json: found(await rotateSecret(request.store, ownedBy(request), request.now)) }),
  },
  {
    ...common,
    method: 'POST',
    path: `${onePath}/test`,
    summary: 'Delivers an event `webhook.test`, regardless of the endpoint’s subscriptions.',
    description:
      'It is attempted once; see the endpoint’s deliveries for the result. At most five tests per hour; a test that ' +
      'arrives resumes deliveries to an endpoint that was paused after five failures.',
    response: 'webhook-delivery',
    status: 201,
    idempotent: true,
    problems: ['not_found', 'rate_limited'],
    act: async (request) => ({ json: found(await testWebhook(request.store, ownedBy(request), request.now)) }),
  },
  {
    ...common,
    method: 'GET',
    path: `${onePath}/deliveries`,
    summary: 'Deliveries of an endpoint, sent or pending, with the last response.',
    response: 'webhook-deliveries',
    problems: ['not_found'],
    async act(request) {
      const { store, now } = request;
      const webhook = found(await findWebhook(store, ownedBy(request), now));
      return { json: { deliveries: await listDeliveries(store, webhook) } };
    },
  },
];
