import type { NewWebhook, WebhookChange } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest } from '../../endpoint.js';
import { Problem } from '../../problem.js';
import {
  addWebhook,
  changeWebhook,
  findWebhook,
  listWebhooks,
  type Owned,
  removeWebhook,
  rotateSecret,
} from '../../webhooks/webhooks.js';

const path = '/api/upgrades/v1/webhooks';
export const onePath = `${path}/{webhook_id}`;
export const common = {
  kind: 'action',
  caller: 'upgrades:webhooks',
  access: 'own',
  parameters: [],
  policy: 'tax',
} as const;

/** The endpoint that the path names, of the caller's account. */
export const ownedBy = ({ caller, parameters: { id } }: ActionRequest): Owned => ({ account: caller!.account, id });

/** Requires that something was found, and gives it back. @throws Problem not_found */
export function found<Found>(value: Found | undefined): Found {
  if (value === undefined) throw new Problem('not_found', 'you have no endpoint with this id');
  return value;
}

export const webhooks = {
  ...common,
  method: 'GET',
  path,
  summary: 'Your endpoints, without their secrets.',
  response: 'webhooks',
  act: async ({ caller, store, now }) => ({ json: { webhooks: await listWebhooks(store, caller!.account, now) } }),
} satisfies ActionEndpoint;

export const newWebhook = {
  ...common,
  method: 'POST',
  path,
  summary: 'Makes an endpoint that events are delivered to, and shows its signing secret, this once.',
  description:
    'Each delivery is a POST of `{id, type, created_at, data}`, signed in `X-Service-Timestamp` and ' +
    '`X-Service-Signature`. Anything but a 2xx within 8 seconds is repeated after 10 seconds, 1 and 5 and 30 ' +
    'minutes, 2, 6 and 12 hours; handlers must be idempotent on the `id`.',
  body: 'webhook',
  response: 'webhook',
  status: 201,
  idempotent: true,
  problems: ['conflict'],
  act: async ({ caller, body, store, now }) => ({
    json: await addWebhook(store, caller!.account, body as NewWebhook, now),
  }),
} satisfies ActionEndpoint;

export const webhook = {
  ...common,
  method: 'GET',
  path: onePath,
  summary: 'One endpoint of yours.',
  response: 'webhook',
  problems: ['not_found'],
  act: async (request) => ({ json: found(await findWebhook(request.store, ownedBy(request), request.now)) }),
} satisfies ActionEndpoint;

export const changedWebhook = {
  ...common,
  method: 'PATCH',
  path: onePath,
  summary: 'Changes where events go, or which. What waits to be delivered goes to the new URL.',
  body: 'webhook-change',
  response: 'webhook',
  problems: ['not_found'],
  async act(request) {
    const { store, body, now } = request;
    return { json: found(await changeWebhook(store, ownedBy(request), body as WebhookChange, now)) };
  },
} satisfies ActionEndpoint;

export const removedWebhook = {
  ...common,
  method: 'DELETE',
  path: onePath,
  summary: 'Ends an endpoint, with what waits to be delivered there.',
  response: 'none',
  problems: ['not_found'],
  async act(request) {
    found((await removeWebhook(request.store, ownedBy(request))) || undefined);
    return {};
  },
} satisfies ActionEndpoint;

export const rotatedSecret = {
  ...common,
  method: 'POST',
  path: `${onePath}/rotate-secret`,
  summary: 'Gives an endpoint another signing secret and shows it, this once.',
  description:
    'For 24 hours deliveries also carry `X-Service-Signature-Previous`, made with the secret before: a receiver ' +
    'that accepts either misses nothing.',
  response: 'webhook',
  problems: ['not_found'],
  act: async (request) => ({ json: found(await rotateSecret(request.store, ownedBy(request), request.now)) }),
} satisfies ActionEndpoint;
