/** The embedded store on its disk: what it keeps there, how much, and how it mends. */
import assert from 'node:assert/strict';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../../pipeline/config.js';
import { connectionOn, NamedQueries } from '../../../../server/people/store/connection.js';
import { migrate } from '../../../../server/people/store/migrations.js';
import { openFolder } from '../../../../server/people/store/pglite-folder.js';
import { StoreUnavailable } from '../../../../server/people/store/session.js';
import { deleteExpiredRows, Store } from '../../../../server/people/store/store.js';

const now = new Date('2026-06-01T12:30:00.123Z');

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
    await deleteExpiredRows(store, now);
    const [found] = await session.run(
      "select count(*)::int as rows, pg_total_relation_size('sign_in_challenges')::int as bytes from sign_in_challenges",
      [],
    );
    assert.equal(found!.rows, 0);
    sizes.push(found!.bytes as number);
  }
  assert.ok(sizes.at(-1)! < sizes[0]! * 3, `bytes after each round: ${sizes}`); // without that it would be five times
  for (let i = 0; i < 2; i++) await session.run(fill, []);
  await deleteExpiredRows(store, now);
  const [left] = await session.run('select count(*)::int as rows from sign_in_challenges', []);
  assert.equal(left!.rows, 3000, 'no statement holds up the others for long');
  await session.close();
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
