/** Delivers signed events, with retries. */
import { createHmac } from 'node:crypto';
import type { ReleaseWatch } from '../../schemas/types.generated.js';
import { LIMITS } from '../limits.js';
import type { Queries, Transactions } from '../store/store.js';
import { announce } from './announce.js';
import { type Send, sender } from './send.js';

/** Delays before retries; after the last one a delivery has failed (decision U6). */
const RETRY_SECONDS = [10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 12 * 3600].map(String);
/** Limits of concurrent attempts: slow receivers of one account must not delay other accounts. */
const UNDER_WAY_MAX = {
  most: LIMITS.webhooks.underWay.max,
  most_of_account: LIMITS.webhooks.underWayOfAccount.max,
  most_of_webhook: LIMITS.webhooks.underWayOfEndpoint.max,
};
const { max: ATTEMPT_MS_MAX } = LIMITS.webhooks.attempt;
/** Age at which deliveries leave the log. */
const LOG_MS_MAX = 30 * 24 * 3_600_000;

interface Due {
  readonly id: string;
  readonly webhook_id: string;
  readonly account_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
  /** Null if the overlap after a rotation has ended. */
  readonly previous_secret: string | null;
}

export interface Delivered {
  readonly delivered: number;
  /** Attempts, not deliveries. */
  readonly failed: number;
}

export interface DeliveryOptions {
  readonly send?: Send;
  /** If aborted, no attempt starts; attempts in progress finish. */
  readonly signal?: AbortSignal | undefined;
  /** Hard limit of an attempt, so that no delivery is in progress twice. */
  readonly attemptMs?: number;
}

/**
 * Announces news and makes all due attempts. Several processes may run it at once.
 * @param now the clock, read at each attempt
 * @param found undefined before the first run of the release watcher
 * @throws StoreUnavailable
 */
export async function deliverDue(
  store: Transactions,
  now: () => Date,
  found: ReleaseWatch | undefined,
  { send = sender(), signal, attemptMs = ATTEMPT_MS_MAX }: DeliveryOptions = {},
): Promise<Delivered> {
  if (found) await announce(store, found, now());
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
    else if (busy.length === 0) break; // attempts may have ended meanwhile: claim again
  }
  if (faults.length > 0) throw faults[0];
  return counts;
}

/** Claims due deliveries within the limits, and records an attempt of each. */
function claim(store: Queries, now: Date, underWay: readonly Due[]): Promise<Due[]> {
  const { most, ...limits } = UNDER_WAY_MAX;
  const webhooks = underWay.map(({ webhook_id }) => webhook_id);
  const accounts = underWay.map(({ account_id }) => account_id);
  const room = { most: most - underWay.length, ...limits, webhooks, accounts };
  return store.query<Due>('deliveries/claim', { now, ...room, waits: RETRY_SECONDS });
}

/** @returns whether the endpoint answered 2xx */
async function attempt(store: Queries, due: Due, now: () => Date, send: Send): Promise<boolean> {
  const { id, url, body } = due;
  const sent = send({ url, headers: headersOf(due, now()), body });
  const { status, error } = await sent.then(
    (answer) => ({ status: answer, error: `answers ${answer}` }),
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

function headersOf({ event_id, body, secret, previous_secret }: Due, now: Date): Record<string, string> {
  const timestamp = now.getTime();
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'hubledger',
    'X-Service-Event-Id': event_id,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': signatureOf(secret, timestamp, body),
    ...(previous_secret && { 'X-Service-Signature-Previous': signatureOf(previous_secret, timestamp, body) }),
  };
}

/**
 * Returns the header value X-Service-Signature (specification, "Events"): `sha256=` and HMAC-SHA256 of
 * `<timestamp>.<body>` in hexadecimal.
 * @param timestamp X-Service-Timestamp, milliseconds since the epoch
 */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
