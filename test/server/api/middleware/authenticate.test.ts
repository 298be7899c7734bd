import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../../../../schemas/types.generated.js';
import type { ActionEndpoint } from '../../../../server/api/endpoint.js';
import { endpoints } from '../../../../server/endpoints/index.js';
import { SCOPES } from '../../../../server/people/accounts/keys.js';
import { SESSION_COOKIE } from '../../../../server/people/accounts/sessions.js';
import { sharedServer, startServer, WALLETS } from '../../harness.js';
import { NOW, signedIn, withKey } from '../../people/accounts/signed-in.js';

const events = `/api/tax/v1/events?address=${WALLETS.light}`;
const me = '/api/account/v1/me';
const DAY_MS = 86_400_000;

/** Scopes of the specification's table, whether this service has something to use them for or not. */
const ALL_SCOPES = [
  'snapshots:read',
  'snapshots:download',
  'faucet:request',
  'tax:read',
  'upgrades:webhooks',
  'wasm:read',
] as const;

const scoped = (scope: Scope): ActionEndpoint => ({
  kind: 'action',
  method: 'GET',
  path: `/scoped/${scope}`,
  caller: scope,
  access: 'same-origin',
  summary: 'Needs a scope.',
  parameters: [],
  response: 'none',
  policy: 'none',
  act: async () => ({}),
});

const server = sharedServer({
  endpoints: [...endpoints, ...(ALL_SCOPES.map(scoped) as never[])],
  environment: { HUBLEDGER_RATE_LIMIT: '1000' },
});
const code = async (path: string, headers: Record<string, string>) => {
  const { status, text } = await server.ask(path, { headers });
  return status < 400 ? status : [status, JSON.parse(text).code];
};

test('a bad key is refused wherever it is sent, also where none is needed', async () => {
  const { authorization } = await withKey(server, ['tax:read']);
  const changed = authorization.slice(0, -1) + (authorization.endsWith('A') ? 'B' : 'A');
  const bad = [changed, 'Bearer nothing', 'bearer  hl_', 'Bearer '];
  for (const wrong of bad) {
    for (const path of [events, '/api/tax/v1/methodology', '/api/tax/v1/openapi.json', me]) {
      assert.deepEqual(await code(path, { authorization: wrong }), [401, 'invalid_api_key'], `${path} ${wrong}`);
    }
  }
  const refused = await server.ask(events, { headers: { authorization: changed } });
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="api", error="invalid_token"');
  assert.equal(refused.headers.get('cache-control'), 'no-store');
  assert.notEqual(refused.headers.get('ratelimit'), null);
  for (const wrong of [authorization.toLowerCase().replace('bearer', 'Basic'), 'Digest x', '']) {
    assert.equal(await code(events, { authorization: wrong }), 200, wrong);
  }
});

test('a key that has expired is refused, by the clock that HUBLEDGER_NOW sets', async () => {
  assert.equal(await code(events, await withKey(server, ['tax:read'], 'alice', new Date(NOW.getTime() + 1))), 200);
  assert.deepEqual(await code(events, await withKey(server, ['tax:read'], 'alice', NOW)), [401, 'invalid_api_key']);
});

test('answers to a known caller are for nobody else', async () => {
  const headers = await withKey(server, ['wasm:read']);
  for (const path of [events, '/api/tax/v1/methodology', '/api/tax/v1/openapi.json', me]) {
    const answer = await server.ask(path, { headers });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store', path);
    const etag = answer.headers.get('etag');
    if (path === me) assert.match(etag ?? '', /^W\//, 'of its content');
    else assert.equal(etag, (await server.ask(path)).headers.get('etag'), path);
  }
  const kept = (await server.ask(events, { headers })).headers.get('etag')!;
  const unchanged = await server.ask(events, { headers: { ...headers, 'if-none-match': kept } });
  assert.deepEqual([unchanged.status, unchanged.headers.get('cache-control')], [304, 'private, no-store']);
  const [known, anyone] = [await server.ask(events, { headers }), await server.ask(events)];
  assert.equal(known.text, anyone.text);
  assert.match(anyone.headers.get('cache-control') ?? '', /^public/);
  for (const answer of [known, anyone]) {
    assert.equal(
      answer.headers.get('vary'),
      'Accept-Encoding, Authorization, Cookie',
      'no cache gives one for the other',
    );
  }
});

test('tax:read gives an account a quota of its own', async () => {
  const remaining = async (headers: Record<string, string>) =>
    Number((await server.ask(events, { headers })).headers.get('x-ratelimit-remaining'));
  const first = await remaining({});
  const carol = await withKey(server, ['tax:read'], 'carol');
  assert.equal(await remaining(carol), 999);
  assert.equal(await remaining(await withKey(server, ['tax:read'], 'carol')), 998);
  assert.equal(await remaining(await signedIn(server, 'carol')), 997);
  assert.equal(await remaining(await withKey(server, ['wasm:read'], 'carol')), first - 1);
  assert.equal(await remaining({ authorization: `${carol.authorization}x` }).catch(() => 0), first - 2);
});

test('an endpoint with a scope wants a key that was made with it, or a session', async () => {
  assert.deepEqual([...SCOPES].sort(), [...ALL_SCOPES].sort());
  const session = await signedIn(server);
  for (const scope of ALL_SCOPES) {
    const path = `/scoped/${scope}`;
    assert.deepEqual(await code(path, {}), [401, 'unauthorized']);
    assert.equal(await code(path, session), 204);
    const key = await withKey(server, [scope]);
    assert.deepEqual((await server.ask(me, { headers: key })).json().scopes, [scope]);
    for (const other of ALL_SCOPES) {
      const expected = other === scope ? 204 : [403, 'insufficient_scope'];
      assert.deepEqual(await code(`/scoped/${other}`, key), expected, `${scope} at ${other}`);
    }
    const without = await withKey(
      server,
      ALL_SCOPES.filter((other) => other !== scope),
    );
    const refused = await server.ask(path, { headers: without });
    const challenge = `Bearer realm="api", error="insufficient_scope", scope="${scope}"`;
    assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [403, challenge]);
  }
});

test('a session lasts thirty days after its last use, and its cookie is renewed with it', async () => {
  const at = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
  assert.equal(await code(me, await signedIn(server, 'dave', at(-29.9))), 200);
  assert.deepEqual(await code(me, await signedIn(server, 'dave', at(-30))), [401, 'unauthorized']);
  const used = await signedIn(server, 'dave', at(-20));
  const renewed = (await server.ask(me, { headers: used })).headers.get('set-cookie') ?? '';
  assert.match(
    renewed,
    /^__Secure-hubledger\.session-token=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.ok(used.cookie!.endsWith(renewed.split(';')[0]!));
  assert.equal((await server.ask(me, { headers: used })).headers.get('set-cookie'), null);
});

test('a cookie that is nobody’s session makes nobody of its sender', async () => {
  const cookie = `${SESSION_COOKIE}=${'A'.repeat(43)}`;
  assert.equal(await code(events, { cookie }), 200);
  assert.deepEqual(await code(me, { cookie }), [401, 'unauthorized']);
  assert.match((await server.ask(events, { headers: { cookie } })).headers.get('cache-control') ?? '', /^public/);
});

test('a key goes before a session', async () => {
  const both = { ...(await signedIn(server, 'alice')), ...(await withKey(server, ['wasm:read'], 'bob')) };
  assert.equal((await server.ask(me, { headers: both })).json().name, 'bob');
});

test('while accounts cannot be looked up, only those who need that wait', async (t) => {
  const environment = { HUBLEDGER_DATABASE_URL: 'postgres://hub:secret@127.0.0.1:1/none' };
  const cut = await startServer({ environment });
  t.after(() => cut.close());
  assert.equal((await cut.ask(events)).status, 200);
  const waits = await cut.ask(events, { headers: await withKey(server, ['tax:read']) });
  assert.deepEqual([waits.status, waits.json().code], [503, 'unavailable']);
  assert.notEqual(waits.headers.get('retry-after'), null);
});

test('no key and no cookie is ever logged', async () => {
  const [{ authorization }, { cookie }] = [await withKey(server, ['tax:read']), await signedIn(server)];
  await server.ask(events, { headers: { authorization } });
  await server.ask(me, { headers: { cookie: cookie! } });
  await server.ask(me, { headers: { authorization: `${authorization}0` } });
  const log = JSON.stringify(server.log);
  for (const secret of [authorization.slice(7), authorization.slice(26), cookie!.split('=').at(-1)!]) {
    assert.ok(!log.includes(secret));
  }
});
