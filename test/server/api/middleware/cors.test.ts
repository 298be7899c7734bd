import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../../server/api/endpoint.js';
import { sharedServer } from '../../harness.js';

const account: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  path: '/own-account',
  summary: 'Acts as a user.',
  parameters: ['type'],
  response: 'text',
  policy: 'none',
  access: 'same-origin',
  handle: () => ({ text: 'yours', type: 'text/plain; charset=utf-8' }),
};

const server = sharedServer({
  endpoints: [account],
  environment: { HUBLEDGER_WASM_URL: 'https://wasm.example/base' },
});

const asked = async (origin?: string, init: RequestInit = {}) => {
  const headers = { ...init.headers, ...(origin === undefined ? {} : { origin }) };
  return (await server.ask('/own-account', { ...init, headers })).headers;
};

test('what acts as a user is read by the operator’s own pages, with credentials', async () => {
  for (const origin of ['https://tax.example', 'https://wasm.example']) {
    const headers = await asked(origin);
    assert.equal(headers.get('access-control-allow-origin'), origin);
    assert.equal(headers.get('access-control-allow-credentials'), 'true');
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
    assert.equal(headers.get('vary'), 'Accept-Encoding, Origin');
  }
});

test('and by no other page', async () => {
  for (const origin of ['https://evil.example', 'http://tax.example', 'https://tax.example:444', 'null', undefined]) {
    const headers = await asked(origin);
    for (const name of ['origin', 'credentials'])
      assert.equal(headers.get(`access-control-allow-${name}`), null, origin);
    assert.equal(headers.get('vary'), 'Accept-Encoding, Origin', 'a cache tells them apart');
  }
});

test('a preflight says the same', async () => {
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } };
  const own = await asked('https://tax.example', preflight);
  assert.equal(own.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS');
  assert.equal(own.get('access-control-allow-credentials'), 'true');
  const other = await asked('https://evil.example', preflight);
  for (const name of ['origin', 'methods', 'headers'])
    assert.equal(other.get(`access-control-allow-${name}`), null, name);
});

test('every kind of answer carries what browsers should heed', async () => {
  const answers = [
    await server.ask('/own-account'),
    await server.ask('/nowhere'),
    await server.ask('/own-account', { method: 'PUT' }),
    await server.ask('/own-account', { method: 'OPTIONS' }),
  ];
  for (const { headers, status } of answers) {
    assert.equal(headers.get('x-content-type-options'), 'nosniff', String(status));
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", String(status));
    assert.equal(headers.get('referrer-policy'), 'no-referrer', String(status));
  }
  const raw = await server.raw('nonsense\r\n\r\n');
  for (const name of ['X-Content-Type-Options', 'Content-Security-Policy', 'Referrer-Policy', 'Vary', 'Date']) {
    assert.match(raw, new RegExp(`\\r\\n${name}: .`), name);
  }
});
