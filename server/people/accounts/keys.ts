/**
 * API keys consist of `hl_`, an id of 16 hexadecimal digits, and a secret. The store contains only the secret's SHA-256
 * (decisions N1, U3).
 */
import { randomBytes } from 'node:crypto';
import { readSchema } from '../../../pipeline/base/project.js';
import type { Tiers } from '../../../pipeline/config.js';
import type { ApiKey, Scope } from '../../../schemas/types.generated.js';
import { LIMITS } from '../../http/limits.js';
import { Problem } from '../../http/problem.js';
import { skipIfReadOnly } from '../store/session.js';
import { type RowOf, toResponse } from '../store/shown-row.js';
import type { CachedQueries, Queries, Transactions } from '../store/store.js';
import { hourOf, insertCapped } from './accounts.js';
import { hashOf, isSecretOf, newSecret } from './secrets.js';

const FORM = /^hl_([0-9a-f]{16})([\w-]{43})$/;
const { keys: KEYS_MAX } = LIMITS.accounts;

export const SCOPES: readonly Scope[] = readSchema<{ oneOf: { const: Scope }[] }>('scope.json').oneOf.map(
  (scope) => scope.const,
);

type ShownKey = ApiKey & Required<Pick<ApiKey, 'key'>>;

type KeyRow = RowOf<ApiKey>;

/** Limit of a key as the operator has set it. If both members are null, the key counts against its account's quota. */
export type KeyLimit = Pick<ApiKey, 'rate_limit' | 'tier'>;

/** Returns the requests a minute of a key. Null if it has no limit, or if its tier is no longer configured. */
const requestsOf = ({ rate_limit, tier }: KeyLimit, tiers: Tiers): number | null =>
  tier === null ? rate_limit : (tiers.get(tier) ?? null);

const describeKey = <Key extends ApiKey>(row: RowOf<Key>, tiers: Tiers): Key => ({
  ...toResponse<Key>(row),
  rate_limit: requestsOf(row, tiers),
});

interface NewKey {
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires: Date | undefined;
}

export async function createKey(store: Transactions, { expires, ...key }: NewKey, now: Date): Promise<ShownKey> {
  const id = randomBytes(8).toString('hex');
  const secret = newSecret();
  const rows = await insertCapped<KeyRow>(store, 'keys/add', {
    ...key,
    id,
    hash: hashOf(secret),
    expires: expires ?? null,
    now,
    max: KEYS_MAX.max,
  });
  if (!rows[0]) throw new Problem('conflict', `the account has ${KEYS_MAX.max} active keys already: revoke one`);
  return { ...toResponse<ApiKey>(rows[0]), key: `hl_${id}${secret}` };
}

export async function listKeys(store: Queries, account: string, tiers: Tiers): Promise<ApiKey[]> {
  return (await store.query<KeyRow>('keys/of-account', { account })).map((row) => describeKey(row, tiers));
}

export async function rotateKey(
  store: CachedQueries,
  account: string,
  id: string,
  now: Date,
  tiers: Tiers,
): Promise<ShownKey | undefined> {
  const secret = newSecret();
  const [row] = await store.query<KeyRow>('keys/rotate', { account, id, hash: hashOf(secret), now });
  store.lookups.forget(cacheKey(id));
  return row && { ...describeKey(row, tiers), key: `hl_${id}${secret}` };
}

/** @param account the key's owner; null if the operator of the service revokes the key */
export async function revokeKey(store: CachedQueries, account: string | null, id: string, now: Date): Promise<boolean> {
  const revoked = await store.query('keys/revoke', { account, id, now });
  store.lookups.forget(cacheKey(id));
  return revoked.length > 0;
}

/** @returns false if there is no such key */
export async function limitKey(store: CachedQueries, id: string, limit: KeyLimit): Promise<boolean> {
  const limited = await store.query('keys/limit', { id, ...limit });
  store.lookups.forget(cacheKey(id));
  return limited.length > 0;
}

const cacheKey = (id: string) => `key ${id}`;

interface KnownKey extends KeyLimit {
  readonly account: string;
  readonly hash: Uint8Array;
  readonly scopes: readonly Scope[];
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** Quota of one key, which the operator has set. */
export interface KeyQuota {
  /** Id of the key. */
  readonly key: string;
  /** Requests of the tax API a minute. */
  readonly requests: number;
}

export interface KeyHolder {
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** Undefined if the key counts against its account's quota. */
  readonly quota?: KeyQuota;
}

export async function checkKey(
  store: CachedQueries,
  presented: string,
  now: Date,
  tiers: Tiers,
): Promise<KeyHolder | undefined> {
  const [, id, secret] = FORM.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const known = await store.lookups.find(
    cacheKey(id),
    () => store.query<KnownKey>('keys/find', { id }),
    (key) => isSecretOf(secret, key?.hash),
  );
  if (!known || known.revoked_at || (known.expires_at && known.expires_at <= now)) return undefined;
  const hour = hourOf(now);
  if (!known.last_used_at || known.last_used_at < hour) {
    await skipIfReadOnly(store.query('keys/used', { id, hour }));
    store.lookups.forget(cacheKey(id));
  }
  const { account, scopes } = known;
  const requests = requestsOf(known, tiers);
  return { account, scopes, ...(requests !== null && { quota: { key: id, requests } }) };
}

export type ListedKey = ApiKey & { readonly account: string };

export async function listAllKeys(store: Queries, tiers: Tiers): Promise<ListedKey[]> {
  return (await store.query<RowOf<ListedKey>>('keys/all')).map((row) => describeKey(row, tiers));
}
