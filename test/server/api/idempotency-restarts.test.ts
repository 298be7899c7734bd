/** An Idempotency-Key across servers: those that start later, that are killed in the middle, and that share a database. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../../pipeline/config.js';
import { ensureNamedAccount } from '../../../server/people/accounts/accounts.js';
import { listKeys } from '../../../server/people/accounts/keys.js';
import { openSession, SESSION_COOKIE } from '../../../server/people/accounts/sessions.js';
import { Store } from '../../../server/people/store/store.js';
import { programs } from '../../requirements.js';
import { startServer } from '../harness.js';
import { NOW, OWN_ORIGIN, posting } from '../people/accounts/signed-in.js';
import { LaidStore } from '../people/store/made-store.js';
import { startPostgres } from '../people/store/postgres-server.js';
import { onBothStores } from '../people/store/stores.js';
import { ServingProcess } from '../processes/serving.js';

const path = '/api/account/v1/keys';
const request = { name: 'one', scopes: ['tax:read'] };

/** Makes a session in a store that no server has open yet. */
async function prepare(environment: Record<string, string>) {
  const store = new LaidStore(readConfig(environment));
  const account = await ensureNamedAccount(store, 'alice', NOW);
  const token = await openSession(store, account, NOW);
  await store.close();
  return { account, cookie: `${SESSION_COOKIE}=${token}` };
}

onBothStores('the 24 hours of an Idempotency-Key', (variables) => {
  test('are counted from its first use, also by servers that start later', async () => {
    const keyed = (key: string, cookie: string) =>
      posting(request, { cookie, origin: OWN_ORIGIN, 'idempotency-key': key });
    const { cookie } = await prepare({ ...variables() });
    const askedAfter = async (hours: number) => {
      const now = new Date(NOW.getTime() + hours * 3_600_000).toISOString();
      const server = await startServer({ environment: { ...variables(), HUBLEDGER_NOW: now }, published: false });
      try {
        const answer = await server.ask(path, keyed('one', cookie));
        return [answer.json().id, answer.headers.get('idempotent-replayed')];
      } finally {
        await server.close();
      }
    };
    const [first] = await askedAfter(0);
    assert.deepEqual(await askedAfter(23.99), [first, 'true']);
    const [second, replayed] = await askedAfter(24);
    assert.deepEqual([second !== first, replayed], [true, null]);
    assert.deepEqual(await askedAfter(47.99), [second, 'true']);
  });
});

const serverVariables = { HUBLEDGER_NOW: NOW.toISOString(), HUBLEDGER_BASE_URL: OWN_ORIGIN, HUBLEDGER_RATE_LIMIT: '0' };

test('a process that is killed in the middle leaves the whole or nothing, and a repetition makes one', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-kill-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const environment = { ...serverVariables, HUBLEDGER_DATA_DIR: dataDir };
  const { account, cookie } = await prepare(environment);
  const post = (serving: ServingProcess, key: string) =>
    fetch(serving.base + path, posting(request, { cookie, origin: OWN_ORIGIN, 'idempotency-key': key }));
  const rounds = [0, 3, 10];
  for (const [round, delay] of rounds.entries()) {
    const doomed = await ServingProcess.start(environment);
    t.after(() => doomed.process.kill('SIGKILL'));
    assert.equal((await post(doomed, `warm-${round}`)).status, 201); // the store is open
    const lost = post(doomed, `killed-${round}`).catch(() => undefined);
    if (delay > 0) await Promise.race([lost, new Promise((resolve) => setTimeout(resolve, delay))]);
    await doomed.end('SIGKILL');
    await lost;
    const serving = await ServingProcess.start(environment);
    t.after(() => serving.process.kill('SIGKILL'));
    const answers = [await post(serving, `killed-${round}`), await post(serving, `killed-${round}`)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(answers[1]!.headers.get('idempotent-replayed'), 'true');
    assert.equal(await answers[0]!.text(), await answers[1]!.text());
    await serving.end('SIGINT');
  }
  const store = new Store(readConfig(environment));
  t.after(() => store.close());
  assert.equal((await listKeys(store, account, new Map())).length, 2 * rounds.length);
});

for (const postgresFolder of programs('postgres')) {
  test('two servers on one database carry a request out once, also when one dies in the middle', async (t) => {
    const postgres = await startPostgres(postgresFolder);
    const environment = { ...serverVariables, HUBLEDGER_DATABASE_URL: postgres.url };
    const { account, cookie } = await prepare(environment);
    const servers = await Promise.all([ServingProcess.start(environment), ServingProcess.start(environment)]);
    const watcher = new pg.Client(postgres.url);
    t.after(async () => {
      await watcher.end();
      for (const serving of servers) serving.process.kill('SIGKILL');
      await postgres.stop();
    });
    await watcher.connect();
    const post = (at: number, key: string) =>
      fetch(servers[at % 2]!.base + path, posting(request, { cookie, origin: OWN_ORIGIN, 'idempotency-key': key }));
    const made = async () => {
      const store = new Store(readConfig(environment));
      const keys = await listKeys(store, account, new Map());
      await store.close();
      return keys.length;
    };
    const statuses = await Promise.all(Array.from({ length: 10 }, async (_, i) => (await post(i, 'race')).status));
    assert.ok(statuses.every((status) => status === 201 || status === 409) && statuses.includes(201));
    assert.equal(await made(), 1);
    // Nobody can write a key now: the request stays in its middle.
    await watcher.query('begin');
    await watcher.query('lock table api_keys in exclusive mode');
    const lost = post(0, 'held').catch(() => undefined);
    const isHeld = async () => (await watcher.query('select from pg_locks where not granted')).rowCount === 1;
    while (!(await isHeld()));
    assert.equal((await post(1, 'held')).status, 409);
    await servers[0].end('SIGKILL');
    await lost;
    await watcher.query('rollback');
    let answer = await post(1, 'held');
    while (answer.status === 409) answer = await post(1, 'held'); // until the database notices the death
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    assert.equal(await made(), 2);
  });
}
