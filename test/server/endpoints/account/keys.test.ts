import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { requireFaults, sharedServer } from '../../harness.js';
import { posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const path = '/api/account/v1/keys';
const request = { name: 'spreadsheet', scopes: ['tax:read'] };

onBothStores('/api/account/v1/keys', (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let alice: Record<string, string>;
  let bob: Record<string, string>;
  before(async () => {
    [alice, bob] = [await signedIn(server, 'alice'), await signedIn(server, 'bob')];
  });
  const create = async (body: object = request) => {
    const answer = await server.ask(path, posting(body, alice));
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  };
  const me = (key: string) => server.ask('/api/account/v1/me', { headers: { authorization: `Bearer ${key}` } });

  test('a key is made, shown once, listed, and says who its bearer is', async () => {
    const { key, ...described } = await create({
      ...request,
      expires_at: '2027-01-01T01:00:00+01:00',
      unknown: 'ignored',
    });
    assert.equal(described.expires_at, '2027-01-01T00:00:00.000Z');
    const list = await server.ask(path, { headers: alice });
    assert.deepEqual(list.json().keys, [described]);
    assert.equal(list.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual((await server.ask(path, { headers: bob })).json().keys, []);
    const bearer = (await me(key)).json();
    assert.deepEqual([bearer.name, bearer.signed_in_by, bearer.scopes], ['alice', 'key', ['tax:read']]);
  });

  test('a member that nobody knows is told, since a mistyped end makes a key that never ends', async () => {
    const body = { ...request, expires: '2027-01-01', [`größe${'x'.repeat(50)}`]: 1 };
    const answer = await server.ask(`${path}?nmae=x`, posting(body, alice));
    assert.deepEqual([answer.status, answer.json().expires_at], [201, null]);
    const told = ['nmae', 'expires', `gr%C3%B6%C3%9Fe${'x'.repeat(35)}`].join(', ');
    assert.equal(answer.headers.get('x-ignored-parameters'), told);
    const refused = await server.ask(path, posting({ name: 'x', scope: ['tax:read'] }, alice));
    assert.deepEqual([refused.status, refused.headers.get('x-ignored-parameters')], [422, 'scope']);
  });

  test('a rotated key answers with its new secret only', async () => {
    const { key, id } = await create();
    const rotated = await server.ask(`${path}/${id}/rotate`, { method: 'POST', headers: alice });
    assert.equal(rotated.status, 200);
    assert.equal((await me(key)).json().code, 'invalid_api_key');
    assert.equal((await me(rotated.json().key)).status, 200);
  });

  test('a revoked key is refused at once', async () => {
    const { key, id } = await create();
    const revoked = await server.ask(`${path}/${id}`, { method: 'DELETE', headers: alice });
    assert.deepEqual([revoked.status, revoked.text], [204, '']);
    const refused = await me(key);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="api", error="invalid_token"');
    assert.equal((await server.ask(`${path}/${id}/rotate`, { method: 'POST', headers: alice })).status, 404);
  });

  test("another account's key is not found", async () => {
    const { key, id } = await create();
    for (const [method, suffix] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      for (const one of [id, '%00']) {
        const answer = await server.ask(`${path}/${one}${suffix}`, { method, headers: bob });
        assert.deepEqual([answer.status, answer.json().code], [404, 'not_found']);
      }
    }
    assert.equal((await me(key)).status, 200);
  });

  test('each fault of a body is named', async () => {
    const cases: [body: object, paths: string[]][] = [
      [{}, ['name', 'scopes']],
      [{ name: '', scopes: [] }, ['name', 'scopes']],
      [{ name: 7, scopes: ['tax:read', 'tax:delete'] }, ['name', 'scopes/1']],
      [{ name: 'x', scopes: ['tax:read', 'tax:read'] }, ['scopes']],
      [{ ...request, expires_at: 'tomorrow' }, ['expires_at']],
      [{ ...request, expires_at: '2026-06-01T00:00:00Z' }, ['expires_at']],
    ];
    for (const [body, paths] of cases) {
      requireFaults(await server.ask(path, posting(body, alice)), 422, paths, body);
    }
  });

  test('keys are managed by people: not anonymously, not with a key, not from pages of other sites', async () => {
    const attempt = (headers: Record<string, string>) => server.ask(path, posting(request, headers));
    const anonymous = await attempt({});
    assert.deepEqual([anonymous.status, anonymous.json().code], [401, 'unauthorized']);
    assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer realm="api"');
    const byKey = await attempt(await withKey(server, ['tax:read']));
    assert.deepEqual([byKey.status, byKey.json().code], [403, 'forbidden']);
    for (const origin of [
      'https://evil.example',
      'https://tax.example.evil.example',
      'http://tax.example',
      'null',
      undefined,
    ]) {
      const { origin: _, ...cookie } = alice;
      const foreign = await attempt({ ...cookie, ...(origin && { origin }) } as Record<string, string>);
      assert.deepEqual([foreign.status, foreign.json().code], [403, 'forbidden'], origin);
    }
  });

  test('other methods, and paths nearby', async () => {
    const wrong = await server.ask(path, { method: 'PUT', headers: alice });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, OPTIONS, POST']);
    assert.equal((await server.ask(`${path}/x`, { headers: alice })).headers.get('allow'), 'DELETE, OPTIONS');
    for (const nearby of [`${path}/`, `${path}/x/rotate/`, `${path}//rotate`]) {
      assert.equal(
        (await server.ask(nearby, { method: 'POST', headers: alice })).json().code,
        'route_not_found',
        nearby,
      );
    }
    const head = await server.ask(path, { method: 'HEAD', headers: alice });
    assert.deepEqual([head.status, head.text], [200, '']);
  });
});
