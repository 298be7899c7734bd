import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sharedServer, startServer, WALLETS } from '../../harness.js';
import { posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const ME = '/api/account/v1/me';
const SAVED = `/api/tax/v1/saved-decisions?address=${WALLETS.light}`;

type Headers = Record<string, string>;

onBothStores(`DELETE ${ME}`, (variables) => {
  const server = sharedServer(() => ({ environment: environment() }));
  const environment = () => ({ HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL });

  const remove = (headers: Headers) => server.ask(ME, { method: 'DELETE', headers });
  const statusOf = async (headers: Headers, at = server) => (await at.ask(ME, { headers })).status;

  test('ends sessions and keys at once, and takes the cookie away', async () => {
    const [here, there] = [await signedIn(server, 'alice'), await signedIn(server, 'alice')];
    const [key, stranger] = [await withKey(server, ['tax:read'], 'alice'), await signedIn(server, 'stranger')];
    const { id } = (await server.ask(ME, { headers: here })).json();
    assert.equal(await statusOf(key), 200);
    const removed = await remove(here);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assert.match(removed.headers.get('set-cookie') ?? '', /^__Secure-hubledger\.session-token=; Max-Age=0; Path=\/; /);
    assert.deepEqual(await Promise.all([here, there, key].map((one) => statusOf(one))), [401, 401, 401]);
    const read = await server.ask(`/api/tax/v1/events?address=${WALLETS.light}`, { headers: key });
    assert.equal(read.json().code, 'invalid_api_key', 'also on public data');
    assert.equal(await statusOf(stranger), 200);
    const again = (await server.ask(ME, { headers: await signedIn(server, 'alice') })).json();
    assert.notEqual(again.id, id, 'who signs in again has another account');
  });

  test('is for people on the pages of the service alone', async () => {
    const headers = await signedIn(server, 'bob');
    const { origin: _, ...cookie } = headers;
    for (const foreign of [
      cookie,
      { ...cookie, origin: 'https://evil.example' },
      await withKey(server, ['tax:read'], 'bob'),
    ])
      assert.equal((await remove(foreign as Headers)).json().code, 'forbidden');
    assert.equal((await remove({})).status, 401);
    assert.equal(await statusOf(headers), 200);
  });

  test('a second server knows within a second, and until then adds nothing to who is gone', async (t) => {
    const { HUBLEDGER_DATABASE_URL } = environment();
    if (HUBLEDGER_DATABASE_URL === '') return; // the embedded store is open in one process alone
    const second = await startServer({ environment: environment() });
    t.after(() => second.close());
    const [here, key] = [await signedIn(server, 'carol'), await withKey(server, ['tax:read'], 'carol')];
    const request = { name: 'late', scopes: ['tax:read'] };
    const before = await Promise.all([here, key].map((one) => statusOf(one, second)));
    await remove(here);
    const late = await Promise.all([
      second.ask('/api/account/v1/keys', posting(request, here)),
      second.ask('/api/account/v1/keys', posting(request, { ...here, 'idempotency-key': 'late' })),
      second.ask(SAVED, { ...posting({ decisions: { '*': { mode: 'exclude' } } }, key), method: 'PUT' }),
      second.ask(ME, { headers: key }),
    ]);
    assert.deepEqual([...before, ...late.map(({ status }) => status)], [200, 200, 401, 401, 401, 401]);
    await wait(1100);
    assert.deepEqual(await Promise.all([here, key].map((one) => statusOf(one, second))), [401, 401]);
    assert.equal((await second.ask(ME, { headers: key })).json().code, 'invalid_api_key');
  });
});
