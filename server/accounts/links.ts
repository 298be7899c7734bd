/** Links that sign in once, which the operator hands out (decision U1). */
import type { Queries } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

const LASTS_MS = 24 * 3_600_000;

/** @returns the secret part of the link */
export async function makeLink(store: Queries, account: string, now: Date): Promise<string> {
  const token = newSecret();
  await store.query('links/add', { hash: hashOf(token), account, now, expires: new Date(now.getTime() + LASTS_MS) });
  return token;
}

/** The account of a link that was not used and is not over; it is used from then on. */
export async function redeemLink(store: Queries, token: string, now: Date): Promise<string | undefined> {
  const [link] = await store.query<{ account: string }>('links/take', { hash: hashOf(token), now });
  return link?.account;
}
