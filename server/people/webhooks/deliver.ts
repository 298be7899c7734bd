import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../../pipeline/config.js';
import { loadReference } from '../../../pipeline/reference.js';
import type {
  ManifestRestatement,
  PendingUpgrade,
  ReleaseWatch,
  WebhookEventType,
} from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { restatementsReader } from '../../tax/dataset/health.js';
import { readReleases, reviewReleases } from '../../tax/dataset/releases.js';
import { StoreUnavailable } from '../store/session.js';
import type { Queries, Transactions } from '../store/store.js';
import { type Send, sender } from './send.js';

/** Delay before each retry, in seconds (decision U6). */
const RETRY_SECONDS = [10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 12 * 3600].map(String);
/** Maximum numbers of attempts in progress. They prevent slow receivers of one account from delaying other accounts. */
const IN_PROGRESS_MAX = {
  max: LIMITS.webhooks.underWay.max,
  account_max: LIMITS.webhooks.underWayOfAccount.max,
  webhook_max: LIMITS.webhooks.underWayOfEndpoint.max,
};
const { max: ATTEMPT_MS_MAX } = LIMITS.webhooks.attempt;
const LOG_MS_MAX = 30 * 24 * 3_600_000;

interface Due {
  readonly id: string;
  readonly webhook_id: string;
  readonly account_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
  /** Secrets before rotations of the last 24 hours, newest first. */
  readonly former_secrets: readonly string[];
}

interface Delivered {
  readonly delivered: number;
  readonly failed: number;
}

interface DeliveryOptions {
  readonly send?: Send;
  /** After an abort, attempts in progress finish, but no new attempt starts. */
  readonly signal?: AbortSignal | undefined;
  /** Changed amounts of closed months in the current dataset. */
  readonly restatements?: readonly ManifestRestatement[];
  /** Timeout of an attempt. It is shorter than the first retry delay, so that attempts of a delivery never overlap. */
  readonly attemptMs?: number;
}

/**
 * Adds deliveries for new releases, upgrades and restatements. Then attempts all due deliveries.
 * @param found result of the release watcher; undefined if the watcher has never run
 */
export async function deliverDue(
  store: Transactions,
  now: () => Date,
  found: ReleaseWatch | undefined,
  { send = sender(), signal, restatements = [], attemptMs = ATTEMPT_MS_MAX }: DeliveryOptions = {},
): Promise<Delivered> {
  if (found) await announce(store, found, now());
  if (restatements.length > 0) await announceRestatements(store, restatements, now());
  await store.query('deliveries/forget', { before: new Date(now().getTime() - LOG_MS_MAX) });
  const counts = { delivered: 0, failed: 0 };
  const faults: unknown[] = [];
  const underWay = new Map<Due, Promise<unknown>>();
  const begin = (due: Due) =>
    attempt(store, due, now, (message) => inTime(send(message), attemptMs))
      .then(
        (hasArrived) => void counts[hasArrived ? 'delivered' : 'failed']++,
        (fault) => void faults.push(fault),
      )
      .finally(() => underWay.delete(due));
  for (;;) {
    const isEnding = faults.length > 0 || signal?.aborted;
    const busy = [...underWay.keys()];
    for (const due of isEnding ? [] : await claim(store, now(), busy)) underWay.set(due, begin(due));
    if (underWay.size > 0) await Promise.race(underWay.values());
    else if (busy.length === 0) break;
  }
  if (faults.length > 0) throw faults[0];
  return counts;
}

function claim(store: Queries, now: Date, underWay: readonly Due[]): Promise<Due[]> {
  const { max, ...limits } = IN_PROGRESS_MAX;
  const webhooks = underWay.map(({ webhook_id }) => webhook_id);
  const accounts = underWay.map(({ account_id }) => account_id);
  const room = { max: max - underWay.length, ...limits, webhooks, accounts };
  return store.query<Due>('deliveries/claim', { now, ...room, waits: RETRY_SECONDS });
}

async function attempt(store: Queries, due: Due, now: () => Date, send: Send): Promise<boolean> {
  const { id, url, body } = due;
  const sent = send({ url, headers: headersOf(due, now()), body });
  const { status, error } = await sent.then(
    (status) => ({ status, error: `answers ${status}` }),
    (failure: Error) => ({ status: null, error: failure.message.slice(0, 200) }),
  );
  const isDelivered = status !== null && status >= 200 && status < 300;
  if (isDelivered) await store.query('deliveries/delivered', { id, status, now: now() });
  else await store.query('deliveries/refused', { id, status, error });
  return isDelivered;
}

function inTime(sent: Promise<number>, ms: number): Promise<number> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('no answer in time')), ms);
  });
  return Promise.race([sent, late]).finally(() => clearTimeout(timer));
}

function headersOf({ event_id, body, secret, former_secrets }: Due, now: Date): Record<string, string> {
  const timestamp = now.getTime();
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'hubledger',
    'X-Service-Event-Id': event_id,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': signatureOf(secret, timestamp, body),
    ...(former_secrets.length > 0 && {
      'X-Service-Signature-Previous': former_secrets.map((former) => signatureOf(former, timestamp, body)).join(', '),
    }),
  };
}

/**
 * Returns the value of the header X-Service-Signature.
 * @param timestamp value of the header X-Service-Timestamp, in milliseconds
 */
function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Creates an event. Serializes it only once, so that every attempt sends the same bytes. */
export function newEvent(type: WebhookEventType, data: object, now: Date) {
  const event = randomUUID();
  return { event, type, body: JSON.stringify({ id: event, type, created_at: now.toISOString(), data }), now };
}

/** A webhook is paused after this many consecutive failures, until a test delivery succeeds. */
const { max: FAILURES_MAX } = LIMITS.webhooks.failures;
const STOPPED = `not sent: the last ${FAILURES_MAX} deliveries failed; send a test to resume`;

export const publish = (queries: Queries, event: ReturnType<typeof newEvent>) =>
  queries.query('deliveries/publish', { ...event, failures_max: FAILURES_MAX, stopped: STOPPED });

interface Known {
  readonly versions: readonly string[];
  readonly pending_upgrade: PendingUpgrade;
}

type News = readonly [type: WebhookEventType, data: object];

async function announce(store: Transactions, watch: ReleaseWatch, now: Date): Promise<void> {
  await store.transaction(async (queries) => {
    const [known] = await queries.query<Known>('announcements/find');
    const { versions, pending_upgrade } = known!;
    const published = watch.upstream.filter(({ version }) => !versions.includes(version));
    // On the first run all releases look new, so none is announced.
    const releases = versions.length === 0 ? [] : published.toReversed();
    const upgrade = upgradeNews(pending_upgrade, watch);
    const news = [...releaseNews(releases, watch, now), ...upgrade.news];
    for (const [type, data] of news) await publish(queries, newEvent(type, data, now));
    const all = [...versions, ...published.map(({ version }) => version)];
    await queries.query('announcements/record', { versions: all, upgrade: upgrade.pending });
  });
}

/** Adds to each release the effect on the index, and whether the operator must act, as /chain/releases has them. */
function releaseNews(releases: ReleaseWatch['upstream'], watch: ReleaseWatch, now: Date): News[] {
  if (releases.length === 0) return [];
  const review = reviewReleases(loadReference(), watch, now);
  return releases.map((release) => {
    const { indexer_impact = '' } = review.releases.find(({ version }) => version === release.version) ?? {};
    return ['release.published', { ...release, indexer_impact, attention: review.attention }];
  });
}

async function announceRestatements(
  store: Transactions,
  restatements: readonly ManifestRestatement[],
  now: Date,
): Promise<void> {
  await store.transaction(async (queries) => {
    const [{ restated } = { restated: [] }] = await queries.query<{ restated: readonly string[] }>(
      'announcements/find-restated',
    );
    const news = restatements.filter(({ generation_after }) => !restated.includes(generation_after));
    if (news.length === 0) return;
    for (const one of news) await publish(queries, newEvent('dataset.restated', one, now));
    const all = [...restated, ...news.map(({ generation_after }) => generation_after)];
    await queries.query('announcements/record-restated', { restated: all });
  });
}

/**
 * Compares the chain's upgrade plan with the last known plan. If the plan is gone, the upgrade was executed if the
 * chain has reached its height; otherwise it was cancelled. A changed name or height means a new plan, but a changed
 * time does not.
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

const PAUSE_MS = 10_000;

/** Starts sending deliveries. @returns a function that stops this and waits for attempts in progress */
export function startDeliveries(
  store: Transactions,
  { now, dataDir }: Pick<Config, 'now' | 'dataDir'>,
  log: Logger,
  send?: DeliveryOptions['send'],
): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const options = send ? { send, signal } : { signal };
  const readNews = restatementsReader(dataDir);
  const rounds = async () => {
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await deliverDue(store, now, readReleases(dataDir), { ...options, restatements: readNews() });
        isFailing = false;
      } catch (err) {
        const fields = err instanceof StoreUnavailable ? { reason: err.message } : { err };
        log[isFailing ? 'debug' : 'error'](fields, 'webhooks are not delivered');
        isFailing = true;
      }
      await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = rounds();
  return () => {
    ending.abort();
    return ended;
  };
}
