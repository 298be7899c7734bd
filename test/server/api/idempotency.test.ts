import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../pipeline/config.js';
import { once } from '../../../server/api/idempotency.js';
import type { Problem } from '../../../server/http/problem.js';
import { ensureNamedAccount } from '../../../server/people/accounts/accounts.js';
import { checkKey, createKey, rotateKey } from '../../../server/people/accounts/keys.js';
import { Store } from '../../../server/people/store/store.js';
import { sharedServer, WALLETS } from '../harness.js';
import { NOW, posting, signedIn } from '../people/accounts/signed-in.js';
import { onBothStores } from '../people/store/stores.js';

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
    assert.ok(await checkKey(store, key, NOW, new Map()));
    const repeatable = { account, endpoint: 'POST rotate', key: 'r', body: Buffer.alloc(0) };
    await once(store, repeatable, NOW, async (transactions) => {
      const rotated = await rotateKey(transactions, account, id, NOW, new Map());
      // The embedded store has one connection, which answers when the transaction has ended.
      await Promise.race([checkKey(store, key, NOW, new Map()), wait(500)]);
      return rotated;
    });
    assert.equal(await checkKey(store, key, NOW, new Map()), undefined);
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

  test('an account has at most 1,000 keys in 24 hours; replays and requests without a key still work', async (t) => {
    const store = new Store(
      readConfig({ ...variables(), HUBLEDGER_DATA_DIR: join(variables().HUBLEDGER_DATA_DIR, 'bounded') }),
    );
    t.after(() => store.close());
    const account = await ensureNamedAccount(store, 'dave', NOW);
    const day = 24 * 3_600_000;
    const send = (key: string, at: Date, of = account) =>
      once(store, { account: of, endpoint: 'POST /', key, body: Buffer.alloc(0) }, at, async () => key);
    await send('first', NOW);
    const answer = Buffer.alloc(0);
    await store.transaction(async (queries) => {
      for (let i = 1; i < 1000; i++) {
        const [hash, expires] = [Buffer.from(`stored ${i}`), new Date(NOW.getTime() + day + i)];
        await queries.query('idempotency/add', { hash, account, bodyHash: hash, answer, expires });
      }
    });
    assert.deepEqual(await send('first', NOW), { answer: 'first', replayed: true });
    await assert.rejects(send('second', NOW), ({ code, retryAfter, detail }: Problem) => {
      assert.match(detail, /1000 Idempotency-Keys in 24 hours/);
      return code === 'rate_limited' && retryAfter === day / 1000;
    });
    assert.equal((await send('first', NOW, await ensureNamedAccount(store, 'erin', NOW))).replayed, false);
    await send('second', new Date(NOW.getTime() + day));
    await assert.rejects(send('third', new Date(NOW.getTime() + day)), { code: 'rate_limited', retryAfter: 1 });
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
