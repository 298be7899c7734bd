/** Webhook events, and announcements of new releases and upgrades. */
import { randomUUID } from 'node:crypto';
import type { PendingUpgrade, ReleaseWatch, WebhookEventType } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import type { Queries, Transactions } from '../store/store.js';

/**
 * Creates an event. The body is serialized once: every attempt sends the same bytes.
 * @returns parameters of the queries deliveries/add and deliveries/publish
 */
export function newEvent(type: WebhookEventType, data: object, now: Date) {
  const event = randomUUID();
  return { event, type, body: JSON.stringify({ id: event, type, created_at: now.toISOString(), data }), now };
}

/** Consecutive failures after which a webhook is paused until a test delivery succeeds. */
const { max: FAILURES_MAX } = LIMITS.webhooks.failures;
const STOPPED = `not sent: the last ${FAILURES_MAX} deliveries failed; send a test to resume`;

/** Adds a delivery for each subscribed webhook. */
export const publish = (queries: Queries, event: ReturnType<typeof newEvent>) =>
  queries.query('deliveries/publish', { ...event, failures_most: FAILURES_MAX, stopped: STOPPED });

/** State at the last announcement. */
interface Known {
  readonly versions: readonly string[];
  readonly pending_upgrade: PendingUpgrade;
}

type News = readonly [type: WebhookEventType, data: object];

/** Publishes events for everything new and records it as announced, in one transaction. */
export async function announce(store: Transactions, watch: ReleaseWatch, now: Date): Promise<void> {
  await store.transaction(async (queries) => {
    const [known] = await queries.query<Known>('announcements/find');
    const { versions, pending_upgrade } = known!;
    const published = watch.upstream.filter(({ version }) => !versions.includes(version));
    // The first run announces no releases, only an upcoming upgrade.
    const releases = versions.length === 0 ? [] : published.toReversed();
    const upgrade = upgradeNews(pending_upgrade, watch);
    const news: News[] = [...releases.map((release): News => ['release.published', release]), ...upgrade.news];
    for (const [type, data] of news) await publish(queries, newEvent(type, data, now));
    const all = [...versions, ...published.map(({ version }) => version)];
    await queries.query('announcements/record', { versions: all, upgrade: upgrade.pending });
  });
}

/**
 * Compares upgrade plans. A missing plan was carried out if the chain reached its height, else it was cancelled; it
 * is kept while the height is unknown. A new name or height is a new plan, a new time estimate is not.
 */
function upgradeNews(before: PendingUpgrade, watch: ReleaseWatch): { news: News[]; pending: PendingUpgrade } {
  const { pending_upgrade: coming, height = null } = watch;
  if (before && coming && before.name === coming.name && before.height === coming.height) {
    return { news: [], pending: before };
  }
  if (before && !coming && height === null) return { news: [], pending: before };
  const news: News[] = [];
  const isReached = height !== null && before !== null && height >= before.height;
  if (before && !isReached) news.push(['upgrade.cancelled', { name: before.name, height: before.height }]);
  if (coming) news.push(['upgrade.scheduled', coming]);
  return { news, pending: coming };
}
