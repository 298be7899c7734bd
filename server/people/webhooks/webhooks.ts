/** Webhooks: URLs of users to which release and upgrade events are sent (decision U6). */
import { randomUUID } from 'node:crypto';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import { insertCapped } from '../accounts/accounts.js';
import { newSecret } from '../accounts/secrets.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { Queries, Transactions } from '../store/store.js';
import { newEvent } from './deliver.js';
import { targetFault } from './send.js';

const { max: WEBHOOKS_MAX } = LIMITS.webhooks.endpoints;
const DELIVERIES_MAX = 100;
const { max: TESTS_MAX } = LIMITS.webhooks.tests;
const TESTS_MS = 3_600_000;
/** Time after a rotation during which the old secret also signs deliveries. */
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

/** Identifies a webhook. A webhook of another account is not found. */
export interface Owned {
  readonly account: string;
  readonly id: string;
}

export async function findWebhook(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const [row] = await store.query<WebhookRow>('webhooks/find', { ...owned });
  return row && describe(row, now);
}

/** Pending deliveries go to the new URL. */
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

export async function rotateSecret(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const secret = makeSecret();
  const until = new Date(now.getTime() + OVERLAP_MS);
  const [row] = await store.query<WebhookRow>('webhooks/rotate', { ...owned, secret, until });
  return row && { ...describe(row, now), secret };
}

export async function removeWebhook(store: Queries, owned: Owned): Promise<boolean> {
  return (await store.query('webhooks/remove', { ...owned })).length > 0;
}

type DeliveryRow = RowOf<WebhookDelivery>;

/** Adds a test delivery, which is attempted only once. */
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
