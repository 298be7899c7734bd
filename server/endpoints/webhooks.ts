/** Endpoints for webhooks. Users register URLs, which receive events about releases and upgrades (decision U6). */
import { randomUUID } from 'node:crypto';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery } from '../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest } from '../api/endpoint.js';
import { LIMITS } from '../http/limits.js';
import { Problem, requireFound } from '../http/problem.js';
import { insertCapped } from '../people/accounts/accounts.js';
import { newSecret } from '../people/accounts/secrets.js';
import { type RowOf, toResponse } from '../people/store/shown-row.js';
import type { Queries, Transactions } from '../people/store/store.js';
import { newEvent } from '../people/webhooks/deliver.js';
import { targetFault } from '../people/webhooks/send.js';

const { max: WEBHOOKS_MAX } = LIMITS.webhooks.endpoints;
const DELIVERIES_MAX = 100;
const { max: ROTATIONS_MAX } = LIMITS.webhooks.rotations;
const { max: TESTS_MAX } = LIMITS.webhooks.tests;
const TESTS_MS = 3_600_000;
const OVERLAP_MS = 24 * 3_600_000;

type WebhookRow = RowOf<Webhook>;

function describe(row: WebhookRow, now: Date): Webhook {
  const { previous_secret_until: until } = row;
  return toResponse<Webhook>({ ...row, previous_secret_until: until && until > now ? until : null });
}

const makeSecret = () => `hlsec_${newSecret()}`;

function requireTarget(url: string): void {
  const message = targetFault(url);
  if (message === undefined) return;
  throw new Problem('validation_failed', `url ${message}`, { errors: [{ path: 'url', message }] });
}

export async function addWebhook(
  store: Transactions,
  account: string,
  wanted: NewWebhook,
  now: Date,
): Promise<Webhook> {
  const { url, events } = wanted;
  requireTarget(url);
  const secret = makeSecret();
  const id = randomUUID();
  const [row] = await insertCapped<WebhookRow>(store, 'webhooks/add', {
    id,
    account,
    url,
    events,
    secret,
    now,
    max: WEBHOOKS_MAX,
  });
  if (!row) throw new Problem('conflict', `you already have ${WEBHOOKS_MAX} webhooks: delete one`);
  return { ...describe(row, now), secret };
}

export async function listWebhooks(store: Queries, account: string, now: Date): Promise<Webhook[]> {
  return (await store.query<WebhookRow>('webhooks/of-account', { account })).map((row) => describe(row, now));
}

/** Identifies a webhook by its id and owner. Webhooks of other accounts count as not found. */
interface Owned {
  readonly account: string;
  readonly id: string;
}

async function findWebhook(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const [row] = await store.query<WebhookRow>('webhooks/find', { ...owned });
  return row && describe(row, now);
}

/** Changes a webhook. Pending deliveries are sent to the new URL. */
export async function changeWebhook(
  store: Queries,
  owned: Owned,
  { url, events }: WebhookChange,
  now: Date,
): Promise<Webhook | undefined> {
  if (url !== undefined) requireTarget(url);
  const [row] = await store.query<WebhookRow>('webhooks/change', {
    ...owned,
    url: url ?? null,
    events: events ?? null,
  });
  return row && describe(row, now);
}

interface FormerSecret {
  readonly secret: string;
  readonly until: Date;
}

/**
 * Replaces the secret. All secrets of the last 24 hours keep signing deliveries. So a receiver misses nothing, even if
 * the client rotates again because the first answer was lost.
 */
export function rotateSecret(store: Transactions, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const secret = makeSecret();
  const until = new Date(now.getTime() + OVERLAP_MS);
  return store.transaction(async (queries) => {
    if ((await queries.query('webhooks/lock', { ...owned })).length === 0) return undefined;
    const former = await queries.query<FormerSecret>('webhooks/former-secrets', { id: owned.id, now });
    const oldest = former[ROTATIONS_MAX - 1];
    if (oldest) {
      throw new Problem('rate_limited', `at most ${ROTATIONS_MAX} rotations of a secret in 24 hours`, {
        retryAfter: Math.ceil((oldest.until.getTime() - now.getTime()) / 1000),
      });
    }
    const values = { ...owned, secret, until, former: JSON.stringify(former) };
    const [row] = await queries.query<WebhookRow>('webhooks/rotate', values);
    return { ...describe(row!, now), secret };
  });
}

export async function removeWebhook(store: Queries, owned: Owned): Promise<boolean> {
  return (await store.query('webhooks/remove', { ...owned })).length > 0;
}

type DeliveryRow = RowOf<WebhookDelivery>;

/** Adds a test delivery. It is attempted only once. */
export function testWebhook(store: Transactions, owned: Owned, now: Date): Promise<WebhookDelivery | undefined> {
  return store.transaction(async (queries) => {
    if ((await queries.query('webhooks/lock', { ...owned })).length === 0) return undefined;
    const since = new Date(now.getTime() - TESTS_MS);
    const counted = { id: owned.id, since, max: TESTS_MAX };
    const latest = await queries.query<{ created_at: Date }>('deliveries/latest-tests', counted);
    const oldest = latest[TESTS_MAX - 1];
    if (oldest) {
      const retryAfter = Math.ceil((oldest.created_at.getTime() - since.getTime()) / 1000);
      throw new Problem('rate_limited', `at most ${TESTS_MAX} tests of a webhook per hour`, { retryAfter });
    }
    const event = newEvent('webhook.test', {}, now);
    const [row] = await queries.query<DeliveryRow>('deliveries/add', { ...owned, ...event });
    return toResponse<WebhookDelivery>(row!);
  });
}

export async function listDeliveries(store: Queries, { id }: Webhook): Promise<WebhookDelivery[]> {
  const rows = await store.query<DeliveryRow>('deliveries/of-webhook', { id, max: DELIVERIES_MAX });
  return rows.map(toResponse<WebhookDelivery>);
}

const path = '/api/upgrades/v1/webhooks';
const onePath = `${path}/{webhook_id}`;

const common = { kind: 'action', caller: 'upgrades:webhooks', access: 'own', parameters: [], policy: 'tax' } as const;

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
