import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../../../pipeline/base/config-error.js';
import { readConfig } from '../../../../pipeline/config.js';
import { migrate } from '../../../../server/people/store/migrations.js';
import { StatementError, StoreUnavailable } from '../../../../server/people/store/session.js';
import { deleteExpiredRows, Store } from '../../../../server/people/store/store.js';
import { onBothStores, onBothUnmade } from './stores.js';

const now = new Date('2026-06-01T12:30:00.123Z');
const owner = { id: randomUUID(), name: 'owner', now };
const key = () => ({
  id: randomUUID(),
  account: owner.id,
  name: 'na$me; \'"\\',
  hash: randomBytes(32),
  scopes: ['tax:read', 'a,b {c}'],
  now,
  expires: null,
  max: 100,
});
const isRefusal = (sqlState: string) => (error: unknown) =>
  error instanceof StatementError && error.sqlState === sqlState;

onBothUnmade('the store', (variables) => {
  let store: Store;
  const open = () => new Store(readConfig({ ...variables() }));
  const count = async () => (await store.query('keys/all')).length;
  before(async () => {
    store = open();
    await store.query('accounts/ensure-named', owner);
  });
  after(() => store.close());

  test('what is written comes back as it was: text, lists, bytes, instants, null', async () => {
    const its = key();
    const [added] = await store.query('keys/add', its);
    assert.deepEqual(added, {
      id: its.id,
      name: its.name,
      scopes: its.scopes,
      created_at: now,
      expires_at: null,
      rotated_at: null,
      revoked_at: null,
      last_used_at: null,
      rate_limit: null,
      tier: null,
    });
    const [found] = await store.query<{ hash: Uint8Array; account: string }>('keys/find', { id: its.id });
    assert.deepEqual(Buffer.from(found!.hash), its.hash);
    assert.equal(found!.account, owner.id);
    assert.deepEqual(await store.query('keys/find', { id: 'another' }), []);
  });

  test('a transaction is kept whole or not at all, and says why', async () => {
    const [one, two] = [key(), key()];
    const before = await count();
    await store.transaction(async (queries) => {
      await queries.query('keys/add', one);
      await queries.query('keys/add', two);
    });
    assert.equal(await count(), before + 2);
    const twice = store.transaction(async (queries) => {
      await queries.query('keys/add', key());
      await queries.query('keys/add', one);
    });
    await assert.rejects(twice, isRefusal('23505'));
    const abandoned = store.transaction(async (queries) => {
      await queries.query('keys/add', key());
      throw new Error('changed my mind');
    });
    await assert.rejects(abandoned, /changed my mind/);
    assert.equal(await count(), before + 2);
  });

  test('queries at the same time are all answered, also beside a transaction', async () => {
    const before = await count();
    const slow = store.transaction(async (queries) => {
      for (let i = 0; i < 5; i++) await queries.query('keys/add', key());
    });
    await Promise.all([slow, ...Array.from({ length: 20 }, () => store.query('keys/add', key()))]);
    assert.equal(await count(), before + 25);
  });

  test('a statement that is refused leaves the connection usable', async () => {
    await assert.rejects(store.query('accounts/ensure-named', { ...owner, id: 'no uuid' }), isRefusal('22P02'));
    await assert.rejects(store.query('accounts/ensure-named', { name: 'x', now }), /names \$id, which has no value/);
    await store.query('keys/add', key());
  });

  test('it is still there after it was closed', async () => {
    const before = await count();
    await store.close();
    assert.equal(await count(), before);
  });

  test('migrations that were changed, and those of a newer program, are refused', async () => {
    const attempt = (migrations: Parameters<typeof migrate>[1]) =>
      store.transaction(async (queries) => {
        const inside = { ...queries, script: assert.fail, transaction: <T>(work: () => Promise<T>) => work() };
        await migrate(inside, migrations);
      });
    await assert.rejects(
      attempt([{ number: 1, name: '001-accounts', sql: '', sha256: 'other' }]),
      new StoreUnavailable('the store was made from another migration 001-accounts'),
    );
    await store.close();
    await wait(1100); // so long the store counts as lost
    await store.query('migrations/record', { number: 999, name: '999-later', sha256: '' });
    await store.close();
    await assert.rejects(
      store.open(),
      new StoreUnavailable('the store was made by a newer version of this program: it has migration 999-later'),
    );
  });
});

onBothStores('a store that is tidied', (variables) => {
  test('what is not over stays', async (t) => {
    const store = new Store(readConfig({ ...variables() }));
    t.after(() => store.close());
    const hash = randomBytes(32);
    await store.query('challenges/add', { hash, address: 'cosmos1', expires: new Date(now.getTime() + 1) });
    await deleteExpiredRows(store, now);
    assert.deepEqual(await store.query('challenges/take', { hash, now }), [{ address: 'cosmos1' }]);
  });
});

onBothUnmade('a new store', (variables) => {
  test('several that start at once', async (t) => {
    const { databaseUrl, ...config } = readConfig({ ...variables() });
    const stores = Array.from({ length: 4 }, () => new Store({ databaseUrl, ...config }));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const outcomes = await Promise.allSettled(stores.map((store) => store.open()));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    if (databaseUrl) return assert.deepEqual(failures, []);
    assert.equal(failures.length, 3);
    for (const failure of failures) {
      assert.ok(failure instanceof StoreUnavailable);
      assert.match(
        failure.message,
        /^the embedded store is open already; stop .*: process \d+ on .+ \(.*locks\/store\)$/,
      );
    }
  });
});

test('a database that is not there is told of, without the password', async () => {
  const store = new Store(readConfig({ HUBLEDGER_DATABASE_URL: 'postgres://hub:secret@127.0.0.1:1/none' }));
  await assert.rejects(store.open(), (error: Error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(error.message, /^the store: .*ECONNREFUSED/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  await store.close();
});

test('a URL of another database is refused, and never shown', () => {
  assert.throws(
    () => readConfig({ HUBLEDGER_DATABASE_URL: 'mysql://hub:secret@db/x' }),
    new ConfigError('HUBLEDGER_DATABASE_URL must be a URL that begins with postgres:// or postgresql://'),
  );
});
