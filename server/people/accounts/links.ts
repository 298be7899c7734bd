/** Sign-in links that the operator issues. Each works once, for 24 hours (decision U1). */
import type { Queries } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

const LIFETIME_MS = 24 * 3_600_000;

export async function makeLink(store: Queries, account: string, now: Date): Promise<string> {
  const token = newSecret();
  await store.query('links/add', { hash: hashOf(token), account, expires: new Date(now.getTime() + LIFETIME_MS) });
  return token;
}

export async function redeemLink(store: Queries, token: string, now: Date): Promise<string | undefined> {
  const [link] = await store.query<{ account: string }>('links/take', { hash: hashOf(token), now });
  return link?.account;
}
