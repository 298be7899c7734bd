/**
 * Keys of embedded reports: `hlw_`, an id of 16 hexadecimal digits, and a secret (decisions N1, U5). Visitors can read
 * the key in the page's source, so it works only on the listed origins.
 */
import { randomBytes } from 'node:crypto';
import type { CachedQueries, Queries } from '../store/store.js';
import { hashOf, isSecretOf, newSecret } from './secrets.js';

const FORM = /^hlw_([0-9a-f]{16})([\w-]{43})$/;

export interface WidgetKey {
  readonly validator: string;
  readonly origins: readonly string[];
}

interface ListedWidgetKey extends WidgetKey {
  readonly id: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

export async function createWidgetKey(
  store: Queries,
  { validator, origins }: WidgetKey,
  now: Date,
): Promise<{ id: string; key: string }> {
  const id = randomBytes(8).toString('hex');
  const secret = newSecret();
  await store.query('widget-keys/add', { id, validator, origins, hash: hashOf(secret), now });
  return { id, key: `hlw_${id}${secret}` };
}

type KnownWidgetKey = WidgetKey & { readonly hash: Uint8Array };

const cacheKey = (id: string) => `widget key ${id}`;

export async function checkWidgetKey(store: CachedQueries, presented: string): Promise<WidgetKey | undefined> {
  const [, id, secret] = FORM.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const known = await store.lookups.find(
    cacheKey(id),
    () => store.query<KnownWidgetKey>('widget-keys/find', { id }),
    (key) => isSecretOf(secret, key?.hash),
  );
  return known && { validator: known.validator, origins: known.origins };
}

export const listWidgetKeys = (store: Queries) => store.query<ListedWidgetKey>('widget-keys/all');

export async function revokeWidgetKey(store: CachedQueries, id: string, now: Date): Promise<boolean> {
  const revoked = await store.query('widget-keys/revoke', { id, now });
  store.lookups.forget(cacheKey(id));
  return revoked.length > 0;
}
