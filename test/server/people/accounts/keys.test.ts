import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../../../pipeline/config.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import {
  checkKey,
  createKey,
  limitKey,
  listAllKeys,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../../server/people/accounts/keys.js';
import type { StatementError } from '../../../../server/people/store/session.js';
import { Store } from '../../../../server/people/store/store.js';
import { onBothStores } from '../store/stores.js';

const now = new Date('2026-06-01T12:30:00Z');
const tiers = new Map([['gold', 600]]);
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

onBothStores('keys', (variables) => {
  let store: Store;
  let alice: string;
  let bob: string;
  before(async () => {
    store = new Store(readConfig({ ...variables() }));
    [alice, bob] = [await ensureNamedAccount(store, 'alice', now), await ensureNamedAccount(store, 'bob', now)];
  });
  after(() => store.close());
  const create = (expires?: Date, account = alice) =>
    createKey(store, { account, name: 'laptop', scopes: ['tax:read', 'wasm:read'], expires }, now);

  test('an account is made once', async () => {
    assert.equal(await ensureNamedAccount(store, 'alice', later(5)), alice);
    assert.notEqual(bob, alice);
  });

  test('a key is shown once and opens what it was made for', async () => {
    const { key, ...described } = await create();
    assert.match(key, /^hl_[0-9a-f]{16}[\w-]{43}$/);
    assert.deepEqual(await listKeys(store, alice, tiers), [described]);
    assert.deepEqual(await checkKey(store, key, now, tiers), { account: alice, scopes: ['tax:read', 'wasm:read'] });
    assert.equal((await create()).key === key, false);
  });

  test('nothing in the store is the key or its secret', async () => {
    const { key, id } = await create();
    const rows = JSON.stringify([await store.query('keys/find', { id }), await store.query('keys/all')]);
    assert.ok(!rows.includes(key) && !rows.includes(key.slice(19)));
  });

  test('other texts open nothing', async () => {
    const { key } = await create();
    const changed = (at: number) => key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1);
    for (const text of [
      '',
      'hl_',
      key.slice(0, -1),
      `${key}A`,
      key.replace('hl_', 'hlw_'),
      changed(25),
      changed(61),
      ` ${key}`,
    ]) {
      assert.equal(await checkKey(store, text, now, tiers), undefined, text);
    }
    const stranger = `hl_${'0'.repeat(16)}${key.slice(19)}`;
    assert.equal(await checkKey(store, stranger, now, tiers), undefined);
  });

  test('a key ends at its instant', async () => {
    const { key } = await create(later(60));
    assert.ok(await checkKey(store, key, later(59), tiers));
    assert.equal(await checkKey(store, key, later(60), tiers), undefined);
  });

  test('a rotated key keeps its id and loses its old secret', async () => {
    const { key, id, scopes } = await create();
    const rotated = await rotateKey(store, alice, id, later(10), tiers);
    assert.deepEqual([rotated?.id, rotated?.scopes], [id, scopes]);
    assert.equal(rotated?.rotated_at, later(10).toISOString());
    assert.equal(await checkKey(store, key, later(11), tiers), undefined);
    assert.ok(await checkKey(store, rotated!.key, later(11), tiers));
  });

  test('a revoked key is of no use, also to rotate; revoking again changes nothing', async () => {
    const { key, id } = await create();
    assert.equal(await revokeKey(store, alice, id, later(1)), true);
    assert.equal(await revokeKey(store, alice, id, later(2)), true);
    assert.equal(await checkKey(store, key, later(3), tiers), undefined);
    assert.equal(await rotateKey(store, alice, id, later(3), tiers), undefined);
    const its = (await listKeys(store, alice, tiers)).find((listed) => listed.id === id);
    assert.equal(its?.revoked_at, later(1).toISOString());
  });

  test('a key of another account is out of reach; the operator reaches all', async () => {
    const { id } = await create();
    assert.equal(await rotateKey(store, bob, id, now, tiers), undefined);
    assert.equal(await revokeKey(store, bob, id, now), false);
    assert.equal(await revokeKey(store, null, id, now), true);
    assert.equal(await revokeKey(store, null, 'f'.repeat(16), now), false);
  });

  test('a key has the limit that the operator sets, as a number or by a tier, until it is taken back', async () => {
    const { key, id, rate_limit, tier } = await create();
    assert.deepEqual([rate_limit, tier], [null, null]);
    const states = async (known = tiers) => {
      const [listed] = (await listKeys(store, alice, known)).filter((one) => one.id === id);
      const [all] = (await listAllKeys(store, known)).filter((one) => one.id === id);
      assert.deepEqual([all!.rate_limit, all!.tier], [listed!.rate_limit, listed!.tier]);
      return [listed!.rate_limit, listed!.tier, (await checkKey(store, key, now, known))!.quota];
    };
    const quota = (requests: number) => ({ key: id, requests });
    assert.deepEqual(await states(), [null, null, undefined]);
    assert.equal(await limitKey(store, id, { rate_limit: 5, tier: null }), true);
    assert.deepEqual(await states(), [5, null, quota(5)], 'without waiting for the cache');
    assert.equal(await limitKey(store, id, { rate_limit: null, tier: 'gold' }), true);
    assert.deepEqual(await states(), [600, 'gold', quota(600)]);
    assert.deepEqual(await states(new Map([['gold', 700]])), [700, 'gold', quota(700)], 'a tier may change');
    assert.deepEqual(await states(new Map()), [null, 'gold', undefined], 'a tier may be removed');
    const rotated = await rotateKey(store, alice, id, now, tiers);
    assert.deepEqual([rotated!.rate_limit, rotated!.tier], [600, 'gold']);
    const { key: renewed } = rotated!;
    assert.equal(await limitKey(store, id, { rate_limit: null, tier: null }), true);
    assert.deepEqual((await checkKey(store, renewed, now, tiers))!.quota, undefined);
    assert.equal(await limitKey(store, 'f'.repeat(16), { rate_limit: 5, tier: null }), false);
  });

  test('a key has one limit, above zero', async () => {
    const { id } = await create();
    for (const limit of [
      { rate_limit: 0, tier: null },
      { rate_limit: 5, tier: 'gold' },
    ]) {
      await assert.rejects(limitKey(store, id, limit), (error: StatementError) => error.sqlState === '23514');
    }
  });

  test('the last use is known to the hour', async () => {
    const { key, id } = await create();
    const used = async () => (await listKeys(store, alice, tiers)).find((listed) => listed.id === id)?.last_used_at;
    assert.equal(await used(), null);
    await checkKey(store, key, now, tiers);
    await checkKey(store, key, later(60), tiers);
    assert.equal(await used(), '2026-06-01T12:00:00.000Z');
    await checkKey(store, key, later(1800), tiers);
    assert.equal(await used(), '2026-06-01T13:00:00.000Z');
  });
});
