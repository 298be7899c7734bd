/**
 * Deletes expired rows once a minute, in batches, and vacuums the embedded store. Deleting with each insert made
 * every sign-in slower than the one before.
 */
import type { Logger } from 'pino';
import { DAY_MS } from '../../pipeline/ledger/day.js';
import { LIMITS } from '../limits.js';
import type { Store } from './store.js';

const EVERY_MS = 60_000;
/** Days after which an unused account without data is deleted. */
const { unusedDays: UNUSED_DAYS } = LIMITS.accounts;

const FORGET = [
  'challenges/forget',
  'sessions/forget',
  'links/forget',
  'visits/forget',
  'idempotency/forget',
  'accounts/forget',
] as const;

export async function tidyStore(store: Pick<Store, 'query' | 'vacuum'>, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - UNUSED_DAYS.max * DAY_MS);
  for (const query of FORGET) await store.query(query, { now, unusedSince });
  await store.vacuum();
}

/** Starts the timer. @returns a function that stops it */
export function keepTidy(store: Store, now: () => Date, log: Logger): () => void {
  const tidy = () => tidyStore(store, now()).catch((err) => log.debug({ err }, 'expired rows cannot be deleted'));
  const timer = setInterval(tidy, EVERY_MS).unref();
  return () => clearInterval(timer);
}
