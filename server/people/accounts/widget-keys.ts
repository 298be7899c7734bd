/**
 * Keys of widgets on other sites: `hlw_`, an id of 16 hexadecimal digits, and a secret (decisions N1, U5). Visitors can
 * read the key in the page's source, so the key works only on its listed origins.
 */
import { randomBytes } from 'node:crypto';
import type { WidgetKey as ShownWidgetKey } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import { skipIfReadOnly } from '../store/session.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { CachedQueries, Queries } from '../store/store.js';
import { hourOf } from './accounts.js';
import { hashOf, isSecretOf, newSecret } from './secrets.js';

const FORM = /^hlw_([0-9a-f]{16})([\w-]{43})$/;
const { widgetKeys: KEYS_MAX } = LIMITS.accounts;

export interface WidgetKey {
  readonly validator: string;
  readonly origins: readonly string[];
}

type Row = RowOf<ShownWidgetKey>;

/** Returns true if the text is an origin exactly as browsers send it. The server can then compare origins as texts. */
export function isOrigin(text: string): boolean {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.origin === text;
}

export async function createWidgetKey(
  store: Queries,
  { validator, origins }: WidgetKey,
  now: Date,
): Promise<ShownWidgetKey & { key: string }> {
  const id = randomBytes(8).toString('hex');
  const secret = newSecret();
  const values = { id, validator, origins, hash: hashOf(secret), now, max: KEYS_MAX.max };
  const [row] = await store.query<Row>('widget-keys/add', values);
  if (!row) throw new Problem('conflict', `the validator has ${KEYS_MAX.max} widget keys in force already: revoke one`);
  return { ...toResponse<ShownWidgetKey>(row), key: `hlw_${id}${secret}` };
}

type KnownWidgetKey = WidgetKey & { readonly hash: Uint8Array; readonly last_used_at: Date | null };

const cacheKey = (id: string) => `widget key ${id}`;

export async function checkWidgetKey(
  store: CachedQueries,
  presented: string,
  now: Date,
): Promise<WidgetKey | undefined> {
  const [, id, secret] = FORM.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const known = await store.lookups.find(
    cacheKey(id),
    () => store.query<KnownWidgetKey>('widget-keys/find', { id }),
    (key) => isSecretOf(secret, key?.hash),
  );
  if (!known) return undefined;
  const hour = hourOf(now);
  if (!known.last_used_at || known.last_used_at < hour) {
    await skipIfReadOnly(store.query('widget-keys/used', { id, hour }));
    store.lookups.forget(cacheKey(id));
  }
  return { validator: known.validator, origins: known.origins };
}

/** @param validators validators whose keys are listed; null lists all keys */
export async function listWidgetKeys(
  store: Queries,
  validators: readonly string[] | null = null,
): Promise<ShownWidgetKey[]> {
  return (await store.query<Row>('widget-keys/all', { validators })).map(toResponse<ShownWidgetKey>);
}

/** @param validators validators whose keys may be revoked; null (all) if the operator of the service revokes the key */
export async function revokeWidgetKey(
  store: CachedQueries,
  id: string,
  now: Date,
  validators: readonly string[] | null = null,
): Promise<boolean> {
  const revoked = await store.query('widget-keys/revoke', { id, now, validators });
  store.lookups.forget(cacheKey(id));
  return revoked.length > 0;
}
