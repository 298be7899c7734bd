/** Webhooks of an account in the store: their URLs, secrets and deliveries. */
import { randomUUID } from 'node:crypto';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import { insertCapped } from '../accounts/accounts.js';
import { newSecret } from '../accounts/secrets.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { Queries, Transactions } from '../store/store.js';
import { newEvent } from './deliver.js';
import { targetFault } from './target.js';

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
export interface Owned {
  readonly account: string;
  readonly id: string;
}

export async function findWebhook(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
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
