/** Webhooks: endpoints of people who want to hear of releases and upgrades, and the log of deliveries there (decision U6). */
import { randomUUID } from 'node:crypto';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery } from '../../schemas/types.generated.js';
import { addCapped } from '../accounts/accounts.js';
import { newSecret } from '../accounts/secrets.js';
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';
import { type RowOf, shownRow } from '../store/shown-row.js';
import type { Queries, Transactions } from '../store/store.js';
import { newEvent } from './announce.js';
import { targetFault } from './target.js';

/** Endpoints of one account at the most. */
const { max: WEBHOOKS_MAX } = LIMITS.webhooks.endpoints;
/** Deliveries that the log shows at the most. */
const DELIVERIES_MAX = 100;
/** Tests of one endpoint at the most, and the time that counts them. */
const { max: TESTS_MAX } = LIMITS.webhooks.tests;
const TESTS_MS = 3_600_000;
/** Time that deliveries are signed with the previous secret, too. */
const OVERLAP_MS = 24 * 3_600_000;

type WebhookRow = RowOf<Webhook>;

/** A secret that is over is none any more. */
function describe(row: WebhookRow, now: Date): Webhook {
  const { previous_secret_until: until } = row;
  return shownRow<Webhook>({ ...row, previous_secret_until: until && until > now ? until : null });
}

const makeSecret = () => `hlsec_${newSecret()}`;

/** Requires a URL that deliveries may go to. @throws Problem validation_failed */
function requireTarget(url: string): void {
  const message = targetFault(url);
  if (message === undefined) return;
  throw new Problem('validation_failed', `url ${message}`, { errors: [{ path: 'url', message }] });
}

/** Makes an endpoint. @throws Problem validation_failed, conflict when the account has as many as it may have */
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
  const [row] = await addCapped<WebhookRow>(store, 'webhooks/add', {
    id,
    account,
    url,
    events,
    secret,
    now,
    most: WEBHOOKS_MAX,
  });
  if (!row) throw new Problem('conflict', `you have ${WEBHOOKS_MAX} endpoints already`);
  return { ...describe(row, now), secret };
}

/** The endpoints of an account, the oldest first. */
export async function listWebhooks(store: Queries, account: string, now: Date): Promise<Webhook[]> {
  return (await store.query<WebhookRow>('webhooks/of-account', { account })).map((row) => describe(row, now));
}

/** Names an endpoint and its account; the endpoint of another account is not found. */
export interface Owned {
  readonly account: string;
  readonly id: string;
}

/** Finds an endpoint, without its secrets; undefined when the account has no such one. */
export async function findWebhook(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const [row] = await store.query<WebhookRow>('webhooks/find', { ...owned });
  return row && describe(row, now);
}

/** Changes an endpoint. Deliveries that wait go to the new URL, too. @throws Problem validation_failed */
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

/** Gives an endpoint another secret; for a day deliveries are signed with the one before, too. */
export async function rotateSecret(store: Queries, owned: Owned, now: Date): Promise<Webhook | undefined> {
  const secret = makeSecret();
  const until = new Date(now.getTime() + OVERLAP_MS);
  const [row] = await store.query<WebhookRow>('webhooks/rotate', { ...owned, secret, until });
  return row && { ...describe(row, now), secret };
}

/** Removes an endpoint with its deliveries. @returns whether it was there */
export async function removeWebhook(store: Queries, owned: Owned): Promise<boolean> {
  return (await store.query('webhooks/remove', { ...owned })).length > 0;
}

type DeliveryRow = RowOf<WebhookDelivery>;

/**
 * Makes an event without meaning for one endpoint, so that its owner sees a delivery. It is attempted once.
 * @throws Problem rate_limited after five tests within an hour
 */
export function testWebhook(store: Transactions, owned: Owned, now: Date): Promise<WebhookDelivery | undefined> {
  return store.transaction(async (queries) => {
    if ((await queries.query('webhooks/lock', { ...owned })).length === 0) return undefined;
    const since = new Date(now.getTime() - TESTS_MS);
    const counted = { id: owned.id, since, most: TESTS_MAX };
    const latest = await queries.query<{ created_at: Date }>('deliveries/latest-tests', counted);
    const oldest = latest[TESTS_MAX - 1];
    if (oldest) {
      const retryAfter = Math.ceil((oldest.created_at.getTime() - since.getTime()) / 1000);
      throw new Problem('rate_limited', `this endpoint had ${TESTS_MAX} tests within an hour`, { retryAfter });
    }
    const event = newEvent('webhook.test', {}, now);
    const [row] = await queries.query<DeliveryRow>('deliveries/add', { ...owned, ...event });
    return shownRow<WebhookDelivery>(row!);
  });
}

/** The log of an endpoint: deliveries that were made or wait to be, the newest first. */
export async function listDeliveries(store: Queries, { id }: Webhook): Promise<WebhookDelivery[]> {
  const rows = await store.query<DeliveryRow>('deliveries/of-webhook', { id, most: DELIVERIES_MAX });
  return rows.map(shownRow<WebhookDelivery>);
}
