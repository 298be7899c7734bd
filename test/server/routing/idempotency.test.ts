import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { readConfig } from '../../../pipeline/config.js';
import { ensureNamedAccount } from '../../../server/accounts/accounts.js';
import { SESSION_COOKIE } from '../../../server/accounts/browser-cookies.js';
import { checkKey, createKey, listKeys, rotateKey } from '../../../server/accounts/keys.js';
import { openSession } from '../../../server/accounts/sessions.js';
import { once } from '../../../server/routing/idempotency.js';
import { Store } from '../../../server/store/store.js';
import { programs } from '../../requirements.js';
import { NOW, OWN_ORIGIN, posting, signedIn } from '../accounts/signed-in.js';
import { sharedServer, startServer, WALLETS } from '../harness.js';
import { ServingProcess } from '../processes/serving.js';
import { LaidStore } from '../store/made-store.js';
import { startPostgres } from '../store/postgres-server.js';
import { onBothStores } from '../store/stores.js';

const path = '/api/account/v1/keys';
const request = { name: 'one', scopes: ['tax:read'] };

onBothStores('Idempotency-Key', (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let alice: Record<string, string>;
  before(async () => {
    alice = await signedIn(server);
  });
  const post = (key: string, body: object = request, headers = alice) =>
    server.ask(path, posting(body, { ...headers, 'idempotency-key': key }));
  const count = async () => (await server.ask(path, { headers: alice })).json().keys.length;

  test('the same key and body is answered with what the first request made', async () => {
    const first = await post('a-1._:');
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null]);
    const before = await count();
    const again = await post('a-1._:');
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.text], [201, 'true', first.text]);
    assert.equal(await count(), before);
    const session = await signedIn(server);
    assert.equal((await post('a-1._:', request, session)).text, first.text);
  });

  test('another body is refused, byte for byte', async () => {
    await post('b');
    const other = await post('b', { ...request, name: 'two' });
    assert.deepEqual([other.status, other.json().code], [422, 'idempotency_key_reused']);
    const spaced = { ...posting({}, { ...alice, 'idempotency-key': 'b' }), body: JSON.stringify(request, null, 1) };
    assert.equal((await server.ask(path, spaced)).json().code, 'idempotency_key_reused');
  });

  test('keys belong to their caller', async () => {
    const [mine, theirs] = [await post('c'), await post('c', request, await signedIn(server, 'bob'))];
    assert.equal(theirs.headers.get('idempotent-replayed'), null);
    assert.notEqual(theirs.json().key, mine.json().key);
  });

  test('a key that was looked up while it got another secret is worth nothing afterwards', async (t) => {
    const store = new Store(
      readConfig({ ...variables(), HUBLEDGER_DATA_DIR: join(variables().HUBLEDGER_DATA_DIR, 'own') }),
    );
    t.after(() => store.close());
    const account = await ensureNamedAccount(store, 'carol', NOW);
    const { id, key } = await createKey(store, { account, name: 'one', scopes: ['tax:read'], expires: undefined }, NOW);
    assert.ok(await checkKey(store, key, NOW));
    const repeatable = { account, endpoint: 'POST rotate', key: 'r', body: Buffer.alloc(0) };
    await once(store, repeatable, NOW, async (transactions) => {
      const rotated = await rotateKey(transactions, account, id, NOW);
      // The embedded store has one connection, which answers when the transaction has ended.
      await Promise.race([checkKey(store, key, NOW), wait(500)]);
      return rotated;
    });
    assert.equal(await checkKey(store, key, NOW), undefined);
  });

  test('a malformed key is refused before anything is done', async () => {
    const before = await count();
    for (const key of ['', ' ', 'a b', '"quoted"', 'ä', 'x'.repeat(256), 'a,b']) {
      const answer = await post(key);
      assert.deepEqual([answer.status, answer.json().code], [400, 'idempotency_key_invalid'], key);
    }
    assert.equal(await count(), before);
    assert.equal((await post('x'.repeat(255))).status, 201);
  });

  test('a request that was refused may be mended under the same key', async () => {
    assert.equal((await post('d', { name: 'x', scopes: [] })).status, 422);
    assert.equal((await post('d', { ...request, expires_at: '2026-05-01T00:00:00Z' })).status, 422);
    assert.equal((await post('d')).status, 201);
  });

  test('of requests at the same time one is carried out', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('e')));
    for (const answer of answers) {
      if (answer.status === 201) continue;
      assert.deepEqual([answer.status, answer.json().code], [409, 'idempotency_in_progress']);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.equal(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size, 1);
    assert.equal(await count(), before + 1);
  });

  test('a rotated key is shown again, too', async () => {
    const { id } = (await post('g')).json();
    const rotate = () =>
      server.ask(`${path}/${id}/rotate`, { method: 'POST', headers: { ...alice, 'idempotency-key': 'g' } });
    const [first, again] = [await rotate(), await rotate()];
    assert.deepEqual(
      [first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')],
      [null, 'true'],
    );
    assert.equal(again.text, first.text);
  });

  test('GET, PUT and DELETE take no notice of it', async () => {
    const { id } = (await post('h')).json();
    const saved = `/api/tax/v1/saved-decisions?address=${WALLETS.silent}`;
    for (const key of ['h', '', 'a b']) {
      const headers = { ...alice, 'idempotency-key': key };
      const put = { ...posting({ decisions: {} }, headers), method: 'PUT' };
      const answers = [await server.ask(path, { headers }), await server.ask(saved, put)];
      answers.push(await server.ask(`${path}/${id}`, { method: 'DELETE', headers }));
      assert.deepEqual(
        answers.map(({ status, headers: its }) => [status, its.get('idempotent-replayed')]),
        [200, 200, 204].map((status) => [status, null]),
      );
    }
  });
});

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

/** Makes a session in a store that no server has open yet. */
async function prepare(environment: Record<string, string>) {
  const store = new LaidStore(readConfig(environment));
  const account = await ensureNamedAccount(store, 'alice', NOW);
  const token = await openSession(store, account, NOW);
  await store.close();
  return { account, cookie: `${SESSION_COOKIE}=${token}` };
}

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
  assert.equal((await listKeys(store, account)).length, 2 * rounds.length);
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
      const keys = await listKeys(store, account);
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
