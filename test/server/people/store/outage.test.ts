/** Databases that go and come back under a server: public data is served all the while. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { DAY_MS } from '../../../../pipeline/base/values/day.js';
import { SESSION_COOKIE } from '../../../../server/people/accounts/sessions.js';
import { Outage } from '../../../../server/people/store/outage.js';
import { StatementError, StoreUnavailable } from '../../../../server/people/store/session.js';
import { programs } from '../../../requirements.js';
import { becomes, until } from '../../../until.js';
import { startServer, type TestServer, WALLETS } from '../../harness.js';
import { NOW, posting, signedIn, withKey } from '../accounts/signed-in.js';
import { startPostgres } from './postgres-server.js';

/** Requests with a session that nobody knows. */
const cookie = { cookie: `${SESSION_COOKIE}=${'a'.repeat(43)}` };
const EVENTS = `/api/tax/v1/events?address=${WALLETS.short}`;
const ME = '/api/account/v1/me';
const key = { authorization: `Bearer hl_${'0'.repeat(16)}${'a'.repeat(43)}` };

/** Statuses of what anybody may read, also who sends a session, and of what needs an account. */
async function statuses(server: TestServer): Promise<number[]> {
  const asked = [
    server.ask(EVENTS),
    server.ask(EVENTS, { headers: cookie }),
    server.ask('/healthz', { headers: cookie }),
    server.ask('/healthz', { headers: key }),
    server.ask(ME, { headers: key }),
  ];
  return (await Promise.all(asked)).map(({ status }) => status);
}

const WELL = [200, 200, 200, 200, 401];
const WITHOUT_STORE = [200, 200, 200, 200, 503];

const untilWell = (server: TestServer): Promise<void> => becomes(() => statuses(server), WELL);

const linesOf = (server: TestServer, text: string) => server.log.filter(({ msg }) => msg === text).length;
const losses = (server: TestServer) => linesOf(server, 'the store is unavailable: sign-in and keys do not work');

for (const folder of programs('postgres')) {
  describe('PostgreSQL', () => {
    test('stopped and started, and frozen and thawed: each time one line, public data all the while', async (t) => {
      const postgres = await startPostgres(folder);
      const server = await startServer({ environment: { HUBLEDGER_DATABASE_URL: postgres.url } });
      t.after(() => server.close().then(() => postgres.stop()));
      assert.deepEqual(await statuses(server), WELL);
      await postgres.end();
      for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(server), WITHOUT_STORE);
      await postgres.begin();
      await untilWell(server);
      assert.equal(losses(server), 1);
      postgres.freeze();
      for (let i = 0; i < 2; i++) assert.deepEqual(await statuses(server), WITHOUT_STORE);
      postgres.thaw();
      await untilWell(server);
      assert.equal(losses(server), 2);
      assert.equal(linesOf(server, 'the store is available again'), 2);
      assert.equal(linesOf(server, 'request failed'), 0);
    });

    test('without a login, connections, tables or the right to write: 503, and well again without a restart', async (t) => {
      const postgres = await startPostgres(folder);
      const operator = new pg.Client(postgres.url);
      await operator.connect();
      const order = (sql: string) => operator.query(sql);
      await order('create role application login; grant all on schema public to application');
      const server = await startServer({
        environment: { HUBLEDGER_DATABASE_URL: postgres.url.replace('hubledger@', 'application@') },
      });
      t.after(async () => {
        await server.close();
        await operator.end();
        await postgres.stop();
      });
      await untilWell(server);
      const challenge = async () => {
        const { status, headers } = await server.ask(
          '/api/account/v1/sign-in/challenge',
          posting({ address: WALLETS.short }),
        );
        assert.equal(headers.has('retry-after'), status === 503);
        return status;
      };
      assert.equal(await challenge(), 200);
      // Neither was used within this hour, and the session is due to be renewed: each use would be noted.
      const known = [await withKey(server, ['tax:read']), await signedIn(server, 'bob', new Date(+NOW - 2 * DAY_MS))];
      const reconnect = () =>
        order("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'application'");
      const faults: [name: string, begin: string, end: string, canRead: boolean][] = [
        ['no login', 'alter role application nologin', 'alter role application login', false],
        [
          'no connections',
          'alter role application connection limit 0',
          'alter role application connection limit -1',
          false,
        ],
        [
          'another database',
          'alter schema public rename to gone; create schema public',
          'drop schema public; alter schema gone rename to public',
          false,
        ],
        [
          'a replica',
          'alter role application set default_transaction_read_only = on',
          'alter role application reset default_transaction_read_only',
          true,
        ],
      ];
      for (const [name, begin, end, canRead] of faults) {
        await order(begin);
        await reconnect();
        await wait(1100);
        for (let i = 0; i < 3; i++) {
          assert.equal(await challenge(), 503, name);
          assert.deepEqual(await statuses(server), canRead ? WELL : WITHOUT_STORE, name);
          for (const headers of canRead ? known : []) assert.equal((await server.ask(ME, { headers })).status, 200);
        }
        await order(end);
        if (!canRead) await untilWell(server);
        else await challenge(); // its connection cannot write, and another one can
        assert.equal(await challenge(), 200, name);
      }
      const { rows } = await order("select 1 from pg_stat_activity where usename = 'application'");
      assert.ok(rows.length <= 10, `${rows.length} connections`);
      assert.equal(linesOf(server, 'request failed'), 0);
    });

    test('frozen for good: a server ends all the same', async (t) => {
      const postgres = await startPostgres(folder);
      const server = await startServer({ environment: { HUBLEDGER_DATABASE_URL: postgres.url } });
      t.after(() => postgres.stop());
      await statuses(server);
      postgres.freeze();
      const { mock } = t.mock.method(server.store, 'query');
      const asked = server.ask(ME, { headers: key });
      await until(() => mock.callCount() > 0, 'the store is asked');
      await server.close();
      assert.equal((await asked).status, 503);
      postgres.thaw();
    });
  });
}

test('an embedded store that is broken: public data is served, and the store is back as soon as it is mended', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  assert.deepEqual(await statuses(server), WELL);
  await server.store.close();
  const file = join(server.dataDir, 'store/global/pg_control');
  const control = readFileSync(file);
  writeFileSync(file, '');
  for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(server), WITHOUT_STORE);
  writeFileSync(file, control);
  await untilWell(server);
  assert.equal(losses(server), 1);
  assert.equal(statSync(join(server.dataDir, 'store')).mode & 0o777, 0o700, 'secrets lie in it');
});

test('a store of a newer program: public data is served, and one line says why nobody can sign in', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  await server.store.query('migrations/record', { number: 999, name: '999-later', sha256: '' });
  await server.store.close();
  for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(server), WITHOUT_STORE);
  assert.equal(losses(server), 1);
  const reasons = server.log.flatMap(({ level, reason }) => (Number(level) >= 50 ? [reason] : []));
  assert.deepEqual(reasons, ['the store was made by a newer version of this program: it has migration 999-later']);
});

test('an embedded store whose files are gone under it ends nothing but itself', async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  assert.deepEqual(await statuses(server), WELL);
  rmSync(join(server.dataDir, 'store'), { recursive: true });
  const found = await statuses(server);
  assert.deepEqual(found.slice(0, 4), WELL.slice(0, 4));
  await untilWell(server);
});

test('of many callers during an outage one waits, and the others are refused at once', async (t) => {
  const lines: string[] = [];
  const outage = new Outage({ error: () => void lines.push('lost'), info: () => void lines.push('back') });
  let calls = 0;
  let clock = 0;
  t.mock.method(performance, 'now', () => clock);
  const lost = () => {
    calls++;
    return wait(50).then(() => Promise.reject(new StoreUnavailable('no answer')));
  };
  await assert.rejects(outage.attempt(lost), StoreUnavailable);
  for (let i = 0; i < 20; i++) await assert.rejects(outage.attempt(lost), /no answer/);
  assert.equal(calls, 1);
  clock = 1000;
  await Promise.allSettled(Array.from({ length: 20 }, () => outage.attempt(lost)));
  assert.equal(calls, 2);
  clock = 2000;
  const refused = new StatementError('refused', '23505');
  await assert.rejects(
    outage.attempt(() => Promise.reject(refused)),
    refused,
  );
  assert.deepEqual(lines, ['lost', 'back']);
  assert.equal(await outage.attempt(async () => 'answer'), 'answer');
});

test('what cannot be done now is told, and does not count as an outage', async () => {
  const lines: unknown[] = [];
  const outage = new Outage({ error: (line: unknown) => void lines.push(line), info: assert.fail });
  const full = () => Promise.reject(new StoreUnavailable('less than 64 MB are free', false));
  for (let i = 0; i < 3; i++) await assert.rejects(outage.attempt(full), /64 MB/);
  assert.equal(await outage.attempt(async () => 'answer'), 'answer');
  assert.deepEqual(lines, [{ reason: 'less than 64 MB are free' }]);
});
