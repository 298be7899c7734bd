import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer, startServer } from '../../harness.js';

const server = sharedServer({
  environment: { HUBLEDGER_TRUSTED_HOPS: '1', HUBLEDGER_BASE_URL: 'http://tax.example' },
});

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

test('published files and those of pages are sent to https as well, so that pages of other origins may follow', async () => {
  for (const path of [
    '/datasets/cosmoshub/manifest.json',
    '/datasets/cosmoshub/latest',
    '/assets/none.js',
    '/nowhere',
  ]) {
    const redirect = await server.ask(path, { headers: http });
    assert.equal(redirect.status, 308, path);
    assert.equal(redirect.headers.get('location'), `https://tax.example${path}`);
    assert.equal(redirect.headers.get('access-control-allow-origin'), '*', path);
  }
});

test('what is no path is refused: put behind the host it would be another one', async () => {
  const answer = await server.raw(
    'GET *@evil.example/ HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: http\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.doesNotMatch(answer, /^Location:/m);
});

test('schemes have no case, and of several entries the nearest trusted proxy’s own counts', async () => {
  const status = async (proto: string) =>
    (await server.ask('/healthz', { headers: { 'x-forwarded-proto': proto } })).status;
  assert.deepEqual(await Promise.all(['HTTP', 'https, Http', 'http, HTTPS'].map(status)), [308, 308, 200]);
});

test('browsers are told to stay with https, by every answer that came over it', async (t) => {
  const secure = await startServer({ environment: { HUBLEDGER_TRUSTED_HOPS: '1' } });
  t.after(() => secure.close());
  const told = async (path: string, headers: Record<string, string>) =>
    (await secure.ask(path, { headers })).headers.get('strict-transport-security');
  for (const path of ['/healthz', '/nowhere', '/api/tax/v1/events']) {
    assert.equal(await told(path, { 'x-forwarded-proto': 'https' }), 'max-age=31536000', path);
    assert.equal(await told(path, http), null, `${path}: over http it would mean nothing`);
  }
  assert.match(await secure.raw('nonsense\r\n\r\n'), /\r\nStrict-Transport-Security: max-age=31536000\r\n/);
  assert.equal((await server.ask('/healthz')).headers.get('strict-transport-security'), null, 'the base URL is http');
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
