import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../harness.js';

let server: TestServer;
before(async () => {
  server = await startServer({
    environment: { HUBLEDGER_TRUSTED_HOPS: '1', HUBLEDGER_BASE_URL: 'http://tax.example' },
  });
});
after(() => server.close());

const http = { 'x-forwarded-proto': 'http' };

test('what came to the proxy as http is sent to https, or refused', async () => {
  for (const method of ['GET', 'HEAD']) {
    const redirect = await server.ask('/api/tax/v1/events?address=a%20b', { method, headers: http });
    assert.equal(redirect.status, 308);
    assert.equal(redirect.headers.get('location'), 'https://tax.example/api/tax/v1/events?address=a%20b');
  }
  const headers = { ...http, 'content-type': 'application/json' };
  const refused = await server.ask('/api/tax/v1/events', { method: 'POST', headers, body: '{}' });
  assert.equal(refused.status, 400);
  assert.match(refused.json().detail, /https/);
});

test('https passes, and so does what names no protocol', async () => {
  assert.equal((await server.ask('/healthz', { headers: { 'x-forwarded-proto': 'https' } })).status, 200);
  assert.equal((await server.ask('/healthz')).status, 200);
});

test('without proxies the header counts for nothing', async (t) => {
  const direct = await startServer();
  t.after(() => direct.close());
  assert.equal((await direct.ask('/healthz', { headers: http })).status, 200);
});
