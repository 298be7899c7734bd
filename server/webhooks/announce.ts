/** Webhook events, and announcements: events of what the release watcher found, each made once. */
import { randomUUID } from 'node:crypto';
import type { PendingUpgrade, ReleaseWatch, WebhookEventType } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import type { Queries, Transactions } from '../store/store.js';

/**
 * Makes an event. It is written once: every endpoint gets the same bytes at every attempt.
 * @returns values of the queries deliveries/add and deliveries/publish
 */
export function newEvent(type: WebhookEventType, data: object, now: Date) {
  const event = randomUUID();
  return { event, type, body: JSON.stringify({ id: event, type, created_at: now.toISOString(), data }), now };
}

/** Deliveries that all failed, one after the other, until a webhook gets nothing more before a test arrives there. */
const { max: FAILURES_MAX } = LIMITS.webhooks.failures;
const STOPPED = `not sent: the last ${FAILURES_MAX} deliveries failed, and no test has arrived since`;

/** Makes deliveries of an event to every endpoint that has subscribed to it. */
export const publish = (queries: Queries, event: ReturnType<typeof newEvent>) =>
  queries.query('deliveries/publish', { ...event, failures_most: FAILURES_MAX, stopped: STOPPED });

/** The releases and the upgrade that were known at the last announcement. */
interface Known {
  readonly versions: readonly string[];
  readonly pending_upgrade: PendingUpgrade;
}

type News = readonly [type: WebhookEventType, data: object];

/** Makes the events of what is new for all endpoints that subscribed to them, and notes it as known, in one transaction. */
export async function announce(store: Transactions, watch: ReleaseWatch, now: Date): Promise<void> {
  await store.transaction(async (queries) => {
    const [known] = await queries.query<Known>('announcements/find');
    const { versions, pending_upgrade } = known!;
    const published = watch.upstream.filter(({ version }) => !versions.includes(version));
    // The first known releases are no news; a coming upgrade always is.
    const releases = versions.length === 0 ? [] : published.toReversed();
    const upgrade = upgradeNews(pending_upgrade, watch);
    const news: News[] = [...releases.map((release): News => ['release.published', release]), ...upgrade.news];
    for (const [type, data] of news) await publish(queries, newEvent(type, data, now));
    const all = [...versions, ...published.map(({ version }) => version)];
    await queries.query('announcements/record', { versions: all, upgrade: upgrade.pending });
  });
}

/**
 * News of upgrades. A plan that is gone was carried out when the chain has reached its height, else it was cancelled; while the
 * height is not known it stays. Another name or height is another plan; another estimate is not.
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
