/** Deliveries: events of what the release watcher found, signed, and repeated until they arrive or the last attempt has failed. */
import { createHmac } from 'node:crypto';
import type { ReleaseWatch } from '../../schemas/types.generated.js';
import type { Queries, Transactions } from '../store/store.js';
import { announce } from './announce.js';
import { type Send, sender } from './send.js';

/** Seconds before each further attempt; after the last one a delivery has failed (decision U6). */
const RETRY_SECONDS = [10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 12 * 3600].map(String);
/** Attempts that are made at a time, at the most. */
const ATTEMPTS_MAX = 20;
/** Time that the log of deliveries goes back. */
const LOG_MS_MAX = 30 * 24 * 3_600_000;

interface Due {
  readonly id: string;
  readonly event_id: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
  /** The secret before; null when receivers no longer verify with it. */
  readonly previous_secret: string | null;
}

export interface Delivered {
  readonly delivered: number;
  /** Number of attempts, not of deliveries. */
  readonly failed: number;
}

/**
 * Makes every attempt that is due, and before that the events of what is new. Several processes may do it at once.
 * @param now the clock: attempts that come later are stamped later
 * @param found what the release watcher knows; undefined before its first run
 * @throws StoreUnavailable
 */
export async function deliverDue(
  store: Transactions,
  now: () => Date,
  found: ReleaseWatch | undefined,
  send: Send = sender(),
): Promise<Delivered> {
  if (found) await announce(store, found, now());
  await store.query('deliveries/forget', { before: new Date(now().getTime() - LOG_MS_MAX) });
  let delivered = 0;
  let failed = 0;
  for (;;) {
    const due = await store.query<Due>('deliveries/claim', { now: now(), most: ATTEMPTS_MAX, waits: RETRY_SECONDS });
    const arrived = await Promise.all(due.map((delivery) => attempt(store, delivery, now, send)));
    delivered += arrived.filter(Boolean).length;
    failed += arrived.filter((has) => !has).length;
    if (due.length < ATTEMPTS_MAX) return { delivered, failed };
  }
}

/** Makes one attempt. @returns whether it arrived, that is, whether the endpoint answered 2xx */
async function attempt(store: Queries, due: Due, now: () => Date, send: Send): Promise<boolean> {
  const { id, url, body } = due;
  const sent = send({ url, headers: headersOf(due, now()), body });
  const { status, error } = await sent.then(
    (answer) => ({ status: answer, error: `answers ${answer}` }),
    (failure: Error) => ({ status: null, error: failure.message.slice(0, 200) }),
  );
  const isDelivered = status !== null && status >= 200 && status < 300;
  if (isDelivered) await store.query('deliveries/delivered', { id, status, now: now() });
  else await store.query('deliveries/refused', { id, status, error, now: now(), waits: RETRY_SECONDS });
  return isDelivered;
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
 * The signature that receivers verify (specification, "Events"), as the headers show it: HMAC-SHA256 over `<timestamp>.<body>`.
 * @param timestamp milliseconds since the epoch, as sent in X-Service-Timestamp
 * @param body exactly what is sent
 */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
