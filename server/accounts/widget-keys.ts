/**
 * Keys of pages that embed a delegator's report: `hlw_`, sixteen digits that name the key, and its secret, of which only the SHA-256 is
 * kept (decisions N1, U5). Everybody who sees such a page sees its key: what protects it is the list of origins.
 */
import { randomBytes } from 'node:crypto';
import type { CachedQueries, Queries } from '../store/store.js';
import { hashOf, isSecretOf, newSecret } from './secrets.js';

const FORM = /^hlw_([0-9a-f]{16})([\w-]{43})$/;

/** The validator that a key was made for, and the pages that may show it. */
export interface WidgetKey {
  /** Operator address. */
  readonly validator: string;
  /** Origins of pages that may show the report, as browsers send them in `Origin`. */
  readonly origins: readonly string[];
}

/** A key as the operator sees it. */
export interface ListedWidgetKey extends WidgetKey {
  readonly id: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

/** Makes a key. @returns the key, which is shown this once, and its id */
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

/** The name of a key in the lookup cache. */
const nameOf = (id: string) => `widget key ${id}`;

/** Looks up a presented widget key; undefined when it is unknown or revoked. */
export async function checkWidgetKey(store: CachedQueries, presented: string): Promise<WidgetKey | undefined> {
  const [, id, secret] = FORM.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const known = await store.lookups.find(
    nameOf(id),
    () => store.query<KnownWidgetKey>('widget-keys/find', { id }),
    (key) => isSecretOf(secret, key?.hash),
  );
  return known && { validator: known.validator, origins: known.origins };
}

/** All widget keys, the oldest first. */
export const listWidgetKeys = (store: Queries) => store.query<ListedWidgetKey>('widget-keys/all');

/** Revokes a key. @returns whether there is such a key */
export async function revokeWidgetKey(store: CachedQueries, id: string, now: Date): Promise<boolean> {
  const revoked = await store.query('widget-keys/revoke', { id, now });
  store.lookups.forget(nameOf(id));
  return revoked.length > 0;
}
