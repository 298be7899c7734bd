import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../pipeline/config.js';
import { ConfigError } from '../../../pipeline/config-error.js';
import { connectionOn } from '../../../server/store/connection.js';
import { migrate } from '../../../server/store/migrate.js';
import { openFolder } from '../../../server/store/pglite-folder.js';
import { StatementError, StoreUnavailable } from '../../../server/store/session.js';
import { NamedQueries, readMigrations } from '../../../server/store/sql.js';
import { Store } from '../../../server/store/store.js';
import { tidyStore } from '../../../server/store/tidy.js';
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
  most: 100,
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
    await assert.rejects(store.query('accounts/ensure-named', { name: 'x', now }), /names \$id, which was not given/);
    await store.query('keys/add', key());
  });

  test('it is still there after it was closed', async () => {
    const before = await count();
    await store.close();
    assert.equal(await count(), before);
  });

  test('migrations that were changed, and those of a newer program, are refused', async () => {
    const [first] = readMigrations();
    const attempt = (migrations: ReturnType<typeof readMigrations>) =>
      store.transaction(async (queries) => {
        const inside = { ...queries, script: assert.fail, transaction: <T>(work: () => Promise<T>) => work() };
        await migrate(inside, migrations);
      });
    await assert.rejects(
      attempt([{ ...first!, sha256: 'other' }]),
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
    await tidyStore(store, now);
    assert.deepEqual(await store.query('challenges/take', { hash, now }), [{ address: 'cosmos1' }]);
  });
});

test('what is over goes from an embedded store, some at a time, and its room is used again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-tidied-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const session = await openFolder(join(folder, 'store'));
  const connection = connectionOn(session, new NamedQueries());
  await migrate(connection);
  const store = { query: connection.query, vacuum: session.vacuum };
  const fill = `insert into sign_in_challenges
    select decode(md5(random()::text || n), 'hex'), 'cosmos1', '2026-01-01' from generate_series(1, 4000) as n`;
  const sizes: number[] = [];
  for (let round = 0; round < 5; round++) {
    await session.run(fill, []);
    await tidyStore(store, now);
    const [found] = await session.run(
      "select count(*)::int as rows, pg_total_relation_size('sign_in_challenges')::int as bytes from sign_in_challenges",
      [],
    );
    assert.equal(found!.rows, 0);
    sizes.push(found!.bytes as number);
  }
  assert.ok(sizes.at(-1)! < sizes[0]! * 3, `bytes after each round: ${sizes}`); // without that it would be five times
  for (let i = 0; i < 2; i++) await session.run(fill, []);
  await tidyStore(store, now);
  const [left] = await session.run('select count(*)::int as rows from sign_in_challenges', []);
  assert.equal(left!.rows, 3000, 'no statement holds up the others for long');
  await session.close();
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

test('an embedded store that is broken gives its lock back, and opens when it is mended', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-broken-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const store = new Store(readConfig({ HUBLEDGER_DATA_DIR: dataDir }));
  await store.open();
  await store.close();
  const file = join(dataDir, 'store/global/pg_control');
  const control = readFileSync(file);
  writeFileSync(file, '');
  for (const _ of [1, 2]) {
    await assert.rejects(store.open(), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /^the embedded store in .* cannot be opened: /);
      return true;
    });
  }
  assert.deepEqual(readdirSync(join(dataDir, 'locks')), []);
  writeFileSync(file, control);
  await store.open();
  await store.close();
});

test('an embedded store has on disk what it has acknowledged', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-synced-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const session = await openFolder(join(folder, 'store'));
  const { fsyncSync } = fs;
  let synced = 0;
  fs.fsyncSync = (descriptor) => {
    synced++;
    fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
  t.after(() => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  });
  const syncs = async (...statements: string[]) => {
    const before = synced;
    for (const one of statements) {
      if (/^(begin|commit|rollback|create)/.test(one)) await session.script(one);
      else await session.run(one, []);
    }
    return synced > before;
  };
  assert.ok(await syncs('create table notes (note text)'));
  assert.ok(await syncs("insert into notes values ('kept')"));
  assert.ok(!(await syncs('select note from notes')));
  assert.ok(!(await syncs('begin', "insert into notes values ('lost')", 'rollback')));
  assert.ok(!(await syncs('begin', "insert into notes values ('kept')")));
  assert.ok(await syncs('commit'));
  await session.close();
});

test('an embedded store keeps eight megabytes of buffers, not the hundred and twenty-eight of a database server', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-buffers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const session = await openFolder(join(folder, 'store'));
  assert.deepEqual(await session.run('show shared_buffers', []), [{ shared_buffers: '8MB' }]);
  await session.close();
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
