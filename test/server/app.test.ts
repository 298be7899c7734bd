/** The frame around every answer: ids, methods, CORS, problems, caching. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Endpoint } from '../../server/api/endpoint.js';
import { endpoints } from '../../server/endpoints/index.js';
import { PROBLEM_KINDS, Problem, type ProblemCode } from '../../server/http/problem.js';
import { sharedServer, startServer, WALLETS } from './harness.js';

const events = `/api/tax/v1/events?address=${WALLETS.light}`;

const failing = (path: string, fail: () => never, problems: readonly ProblemCode[]): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path,
  summary: 'Fails.',
  parameters: ['chain'],
  response: 'text',
  policy: 'none',
  problems,
  handle: fail,
});
const refusing = (path: string, problem: Problem) => {
  const refuse = () => {
    throw problem;
  };
  return failing(path, refuse, [problem.code]);
};

/** The specification's table of codes, then the two of this service. */
const STATUSES: readonly (readonly [ProblemCode, number])[] = [
  ['bad_request', 400],
  ['unauthorized', 401],
  ['invalid_api_key', 401],
  ['forbidden', 403],
  ['insufficient_scope', 403],
  ['not_found', 404],
  ['route_not_found', 404],
  ['method_not_allowed', 405],
  ['conflict', 409],
  ['gone', 410],
  ['precondition_failed', 412],
  ['range_not_satisfiable', 416],
  ['validation_failed', 422],
  ['precondition_required', 428],
  ['rate_limited', 429],
  ['idempotency_key_invalid', 400],
  ['idempotency_key_reused', 422],
  ['idempotency_in_progress', 409],
  ['internal_error', 500],
  ['upstream_error', 502],
  ['unavailable', 503],
  ['upstream_timeout', 504],
  ['asset_decisions_required', 409],
  ['replay_in_progress', 503],
  ['holdings_incomplete', 503],
];

const server = sharedServer({
  endpoints: [
    ...endpoints,
    failing('/fault', () => {
      throw new Error('secret of the house');
    }, []),
    refusing('/key', new Problem('invalid_api_key', 'the key is revoked')),
    refusing('/session', new Problem('unauthorized', 'sign in first')),
    refusing('/replay', new Problem('replay_in_progress', 'the wallet is being replayed', { retryAfter: 30 })),
    ...STATUSES.map(([code]) => refusing(`/refused/${code}`, new Problem(code, 'for this reason'))),
    refusing('/decide', new Problem('asset_decisions_required', '2 receipts need a decision', { pending: 2 })),
  ],
});

test('a well-formed request id is echoed, any other replaced, on every kind of answer of every API', async () => {
  const apis = ['/api/account/v1/me', '/api/upgrades/v1/webhooks', '/api/v1/codes?network=none'];
  for (const path of [events, '/nowhere', '/healthz', '/api/tax/v1/events', ...apis]) {
    for (const id of ['my.Request_id-1', '12345678', 'x'.repeat(128)]) {
      const echoed = await server.ask(path, { headers: { 'x-request-id': id } });
      assert.equal(echoed.headers.get('x-request-id'), id);
    }
    for (const id of ['1234567', 'x'.repeat(129), 'with blanks in it', 'a:colon:inside', '<script>alert</script>']) {
      const replaced = await server.ask(path, { headers: { 'x-request-id': id } });
      assert.notEqual(replaced.headers.get('x-request-id'), id);
    }
  }
});

test('a problem has all members, and the older ones until they are removed', async (t) => {
  const answer = await server.ask('/api/tax/v1/events?address=secret', { headers: { 'x-request-id': 'request-1' } });
  const { detail, ...problem } = answer.json();
  assert.deepEqual(problem, {
    type: 'https://tax.example/docs/conventions#bad_request',
    title: 'Bad request',
    status: 400,
    code: 'bad_request',
    instance: '/api/tax/v1/events',
    request_id: 'request-1',
    errors: problem.errors,
    error: detail,
    success: false,
  });
  const later = await startServer({ environment: { HUBLEDGER_NOW: '2027-04-01T00:00:00Z' } });
  t.after(() => later.close());
  const last = await startServer({ environment: { HUBLEDGER_NOW: '2027-03-31T23:59:59Z' } });
  t.after(() => last.close());
  assert.equal('error' in (await later.ask('/nowhere')).json(), false);
  assert.equal('success' in (await later.ask('/nowhere')).json(), false);
  assert.equal((await last.ask('/nowhere')).json().success, false);
});

test('every code has the status of the table, and what belongs to it', async () => {
  assert.deepEqual(Object.keys(PROBLEM_KINDS).sort(), STATUSES.map(([code]) => code).sort());
  for (const [code, status] of STATUSES) {
    const { headers, ...answer } = await server.ask(`/refused/${code}`);
    const { type, ...problem } = answer.json();
    assert.deepEqual([answer.status, problem.status, problem.code], [status, status, code]);
    assert.equal(type, `https://tax.example/docs/conventions#${code}`);
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.has('www-authenticate'), status === 401, code);
    const isTemporary = status === 429 || status === 503;
    assert.equal(headers.get('retry-after'), isTemporary ? String(problem.retry_after) : null, code);
    assert.equal(problem.retry_after >= 1, isTemporary, code);
  }
});

test('what an endpoint throws is a problem of its code; a fault says nothing of the inside', async () => {
  const fault = await server.ask('/fault');
  assert.equal(fault.status, 500);
  assert.equal(fault.json().code, 'internal_error');
  assert.doesNotMatch(fault.text, /secret/);
  assert.ok(server.log.some(({ level, msg }) => level === 50 && msg === 'request failed'));
  const key = await server.ask('/key');
  assert.equal(key.status, 401);
  assert.equal(key.headers.get('www-authenticate'), 'Bearer realm="api", error="invalid_token"');
  assert.equal((await server.ask('/session')).headers.get('www-authenticate'), 'Bearer realm="api"');
  const replay = await server.ask('/replay');
  assert.equal(replay.status, 503);
  assert.equal(replay.headers.get('retry-after'), '30');
  assert.equal(replay.json().retry_after, 30);
  const decide = await server.ask('/decide');
  assert.equal(decide.status, 409);
  assert.equal(decide.json().pending, 2);
});

test('HEAD has the headers of GET and no body', async () => {
  const paths = [
    events,
    '/llms.txt',
    '/readyz',
    '/api/tax/v1/methodology',
    `${events}&format=csv`,
    '/nowhere',
    '/replay',
  ];
  paths.push(`/api/tax/v1/events?address=${WALLETS.big}`, `/api/tax/v1/journal?address=${WALLETS.big}&format=json`);
  for (const encoding of ['gzip', 'identity', 'br']) {
    for (const path of paths) {
      const init = { headers: { 'accept-encoding': encoding, 'x-request-id': 'the-same-id' } };
      const [get, head] = [await server.ask(path, init), await server.ask(path, { method: 'HEAD', ...init })];
      assert.equal(head.text, '');
      assert.equal(head.status, get.status);
      const shown = ({ headers }: { headers: Headers }) =>
        [...headers].filter(([name]) => !['date', 'transfer-encoding', 'connection', 'keep-alive'].includes(name));
      assert.deepEqual(shown(head), shown(get), `${encoding} ${path}`);
    }
  }
});

test('of codings that a client takes alike gzip goes first, for what is made at once and for what streams', async () => {
  const streamed = `/api/tax/v1/events?address=${WALLETS.big}&format=csv`;
  for (const path of ['/llms.txt', streamed]) {
    for (const [accepted, coding] of [
      ['br, gzip', 'gzip'],
      ['gzip;q=0.5, br;q=0.5', 'gzip'],
      ['*', 'gzip'],
      ['gzip;q=0.5, br', 'br'],
      ['identity, gzip;q=0', null],
    ]) {
      const answer = await server.ask(path, { headers: { 'accept-encoding': accepted! } });
      assert.equal(answer.headers.get('content-encoding'), coding, `${path} ${accepted}`);
    }
  }
});

test('any page may read, without credentials; preflights are answered', async () => {
  for (const path of [events, '/nowhere', '/api/tax/v1/events']) {
    const { headers } = await server.ask(path, { headers: { origin: 'https://elsewhere.example' } });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('access-control-allow-credentials'), null);
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id, .*Retry-After, ETag/);
  }
  const preflight = await server.ask('/api/tax/v1/events', {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-max-age'), '86400');
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
  assert.equal(
    (await server.ask('/api/tax/v1/tags', { method: 'OPTIONS' })).headers.get('allow'),
    'GET, HEAD, OPTIONS',
  );
  assert.equal((await server.ask('/nowhere', { method: 'OPTIONS' })).status, 404);
});

test('/healthz and /readyz', async (t) => {
  assert.equal((await server.ask('/healthz')).text, 'ok\n');
  const ready = await server.ask('/readyz');
  assert.equal(ready.headers.get('cache-control'), 'no-store');
  // The age is the time from 2026-04-14 12:00 to 2026-06-01 00:00.
  assert.deepEqual(ready.json(), {
    generation: readFileSync(join(server.dataDir, 'CURRENT'), 'utf8').trim(),
    height: 1000,
    holdings_from: 1,
    holdings_until: 1000,
    age_seconds: 47.5 * 86400,
    warning: null, // a recording gets no newer blocks
    replay_in_progress: false,
  });
  const ofNode = async (HUBLEDGER_NOW: string) => {
    const HUBLEDGER_RPC_URLS = 'https://node.example';
    const other = await startServer({ environment: { HUBLEDGER_NOW, HUBLEDGER_RPC_URLS } });
    t.after(() => other.close());
    const { age_seconds, warning } = (await other.ask('/readyz')).json();
    return [age_seconds, warning];
  };
  const warning = 'the last block is 1140 hours old, more than 36: nightly runs do not publish newer ones';
  assert.deepEqual(await ofNode('2026-06-01T00:00:00Z'), [47.5 * 86400, warning]);
  assert.deepEqual(await ofNode('2026-01-01T00:00:00Z'), [0, null]);
});

test('the log has a line a request, with its path and without its query', async () => {
  await server.ask(`${events}&tags=${encodeURIComponent('{"secret":1}')}`, {
    headers: { 'x-request-id': 'logged-one' },
  });
  const line = server.log.find(({ request_id }) => request_id === 'logged-one');
  assert.ok(line);
  const { method, path, status, ms, bytes } = line;
  assert.deepEqual({ method, path, status }, { method: 'GET', path: '/api/tax/v1/events', status: 400 });
  assert.ok(Number(ms) > 0 && Number(bytes) > 100);
  assert.doesNotMatch(JSON.stringify(server.log), /secret":1|cosmos1/);
});

test('keys, cookies, queries and bodies never come into the log, whatever becomes of the request', async () => {
  const secret = 'S3CRET';
  const headers = {
    authorization: `Bearer hl_${secret}`,
    cookie: `__Secure-hubledger.session-token=${secret}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ address: secret });
  await server.ask(`/api/tax/v1/events?address=${secret}&api_key=${secret}`, { headers });
  await server.ask(`/fault?api_key=${secret}`);
  await server.ask(`/nowhere?${secret}`, { headers });
  await server.ask(`/api/tax/v1/events?${secret}`, { method: 'POST', headers, body });
  await server.ask(`/api/tax/v1/events?${secret}`, { method: 'DELETE', headers });
  await server.raw(`BREW /api/tax/v1/events?${secret} HTTP/1.1\r\nHost: x\r\nCookie: ${secret}\r\n\r\n`);
  await server.raw(`CONNECT /api/tax/v1/events?${secret} HTTP/1.1\r\nHost: x\r\nCookie: ${secret}\r\n\r\n`);
  await server.raw(`GET /?${secret} HTTP/1.1\r\nAuthorization: ${secret}\r\nbroken\r\n\r\n`);
  await server.raw(`GET /${'x'.repeat(200 * 1024)}?${secret} HTTP/1.1\r\n\r\n`);
  const link = `/api/account/v1/link/${secret.repeat(8)}`;
  await server.ask(link);
  await server.ask(link, { method: 'POST' });
  await server.ask(`${link}/`);
  await server.raw(`CONNECT ${link}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await server.raw(`BREW ${link}%20 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await server.raw(`GET ${link} HTTP/1.1\r\nbroken\r\n\r\n`);
  assert.ok(server.log.length > 8);
  assert.doesNotMatch(JSON.stringify(server.log), /S3CRET/);
});

test('a whole URL in the request line is answered as its path', async () => {
  const raw = await server.raw('GET http://proxy.example/healthz?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.match(raw, /^HTTP\/1\.1 200 /);
});
