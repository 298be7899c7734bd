/**
 * Tidying of the store: rows that are over are deleted on a timer, some at a time, and the embedded store, which has no process for that,
 * gives their room free. Deleting them with each new row instead makes every sign-in slower than the one before.
 */
import type { Logger } from 'pino';
import { DAY_MS } from '../../pipeline/ledger/day.js';
import { LIMITS } from '../limits.js';
import type { Store } from './store.js';

const EVERY_MS = 60_000;
/** Days after its last use until an account that owns nothing is forgotten. */
const { unusedDays: UNUSED_DAYS } = LIMITS.accounts;

/** Queries that delete rows which are over. */
const FORGET = [
  'challenges/forget',
  'sessions/forget',
  'links/forget',
  'visits/forget',
  'idempotency/forget',
  'accounts/forget',
] as const;

/** Deletes what is over, some thousand rows of each kind at the most. */
export async function tidyStore(store: Pick<Store, 'query' | 'vacuum'>, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - UNUSED_DAYS.max * DAY_MS);
  for (const query of FORGET) await store.query(query, { now, unusedSince });
  await store.vacuum();
}

/** Tidies the store from now on, every minute. @returns a function that ends it */
export function keepTidy(store: Store, now: () => Date, log: Logger): () => void {
  const tidy = () => tidyStore(store, now()).catch((err) => log.debug({ err }, 'the store cannot be tidied'));
  const timer = setInterval(tidy, EVERY_MS).unref();
  return () => clearInterval(timer);
}
