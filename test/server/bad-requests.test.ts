/** Bad requests are answered with a problem that names the place; never with a 500, never with another form of error. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import { projectRoot } from '../../pipeline/base/project.js';
import { sharedServer, WALLETS } from './harness.js';

interface BadRequest {
  readonly what: string;
  readonly path: string;
  readonly code?: string;
  readonly errors: readonly string[];
}

const cases: BadRequest[] = JSON.parse(readFileSync(join(projectRoot(), 'test/server/bad-requests.json'), 'utf8'));
const events = '/api/tax/v1/events';

const server = sharedServer();

for (const { what, path, code = 'bad_request', errors } of cases) {
  test(`${what} is ${code}`, async () => {
    const answer = await server.ask(path.replace('{light}', WALLETS.light).replace('{short}', WALLETS.short));
    const problem = answer.json();
    assert.equal(problem.code, code);
    assert.deepEqual(
      (problem.errors ?? []).map((error: { path: string }) => error.path),
      errors,
    );
    assert.ok(!problem.instance.includes('?'), 'the query stays out of the answer');
  });
}

const address = (n: number) => bech32.encode('cosmos', bech32.toWords(new Uint8Array(20).fill(n)));

test('50 addresses are answered, 51 are not', async () => {
  const fifty = Array.from({ length: 50 }, (_, n) => address(n + 1));
  assert.equal((await server.ask(`${events}?address=${fifty.join(',')}`)).status, 200);
  assert.equal((await server.ask(`${events}?address=${[...fifty, fifty[0]].join(',')}`)).status, 200);
  const refused = await server.ask(`${events}?address=${[...fifty, address(99)].join(',')}`);
  assert.equal(refused.status, 400);
  assert.match(refused.json().detail, /50/);
});

test('a URL of 60 KiB is answered, one of 70 KiB or 200 KiB is told of the POST form', async () => {
  const url = (bytes: number) => `${events}?address=${WALLETS.short}&padding=${'x'.repeat(bytes)}`;
  assert.equal((await server.ask(url(60 * 1024))).status, 200);
  for (const bytes of [70 * 1024, 200 * 1024]) {
    const refused = await server.ask(url(bytes));
    assert.equal(refused.status, 400);
    assert.equal(refused.json().code, 'bad_request');
    assert.match(refused.json().detail, /POST/);
  }
});

test('other methods are 405 with Allow, also such as Node does not know', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'POST']) {
    const refused = await server.ask('/api/tax/v1/tags', { method });
    assert.equal(refused.status, 405, method);
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, OPTIONS');
  }
  for (const method of ['BREW', 'QUERY', 'TRACE', 'CONNECT']) {
    const raw = await server.raw(`${method} ${events}?address=x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(raw, /^HTTP\/1\.1 405 /, method);
    assert.match(raw, /\r\nAllow: GET, HEAD, OPTIONS, POST\r\n/i);
    assert.match(raw, /"code":"method_not_allowed"/);
    assert.match(raw, /"instance":"\/api\/tax\/v1\/events"/);
  }
  for (const path of ['/datasets/cosmoshub/manifest.json', '/assets/report.js']) {
    for (const method of ['PUT', 'PROPFIND', 'BREW', 'QUERY', 'CONNECT']) {
      const raw = await server.raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.match(raw, /^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD/i, `${method} ${path}`);
    }
  }
  assert.match(await server.raw('CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 404 /);
  assert.match(await server.raw('BREW /coffee HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 404 /);
});

const UNREADABLE = {
  'no HTTP at all': 'hello\r\n\r\n',
  'a version that is not': 'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
  'a blank in the path': 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
  'a header without a colon': 'GET / HTTP/1.1\r\nHost x\r\n\r\n',
  'two lengths': 'POST /api/tax/v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'a chunk that is none': 'POST /api/tax/v1/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'no host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
  'two hosts': 'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
  'headers without end': `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(200 * 1024)}\r\n\r\n`,
};

for (const [what, bytes] of Object.entries(UNREADABLE)) {
  test(`${what} on the socket is a whole problem`, async () => {
    const [head = '', body = ''] = (await server.raw(bytes)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(head, /\r\nContent-Type: application\/problem\+json(\r\n|$)/i);
    assert.match(head, /\r\nCache-Control: no-store(\r\n|$)/i);
    const problem = JSON.parse(body);
    assert.equal(problem.code, 'bad_request');
    assert.match(head, new RegExp(`\\r\\nX-Request-Id: ${problem.request_id}(\\r\\n|$)`, 'i'));
  });
}

const json = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

test('posted bodies: what cannot be read is 400, what is invalid is 422', async () => {
  const post = (body: string | Buffer, headers: Record<string, string> = json) =>
    server.ask(events, { method: 'POST', body, headers });
  const good = JSON.stringify({ address: WALLETS.short });
  assert.equal((await post(good)).status, 200);
  assert.equal((await post(good, { 'content-type': 'application/json; charset=UTF-8' })).status, 200);
  assert.equal((await post(good.padEnd(MIB))).status, 200);
  const unreadable: [string, Promise<{ status: number; json(): { code: string; detail: string } }>, RegExp][] = [
    ['text', post(good, { 'content-type': 'text/plain' }), /application\/json/],
    ['a form', post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), /application\/json/],
    ['another charset', post(good, { 'content-type': 'application/json; charset=latin1' }), /UTF-8/],
    ['packed', post(good, { ...json, 'content-encoding': 'gzip' }), /gzip/],
    ['half JSON', post('{"address":'), /JSON/],
    ['nothing', post(''), /JSON/],
    ['bytes that are no UTF-8', post(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/],
    ['a byte over 1 MiB', post(good.padEnd(MIB + 1)), /1 MiB/],
  ];
  for (const [what, asked, detail] of unreadable) {
    const refused = await asked;
    assert.equal(refused.status, 400, what);
    assert.equal(refused.json().code, 'bad_request');
    assert.match(refused.json().detail, detail);
  }
  for (const body of ['[]', 'null', '"x"', '{}', '{"address":7}', `{"address":"${WALLETS.short}","userTags":[]}`]) {
    const refused = await post(body);
    assert.equal(refused.status, 422, body);
    assert.equal(refused.json().code, 'validation_failed');
    assert.equal(refused.json().errors.length, 1);
  }
});

test('a member that a body names twice is refused at its place, in a long body, too', async () => {
  const hash = '0'.repeat(64);
  const tagged = `{"address":"${WALLETS.short}","userTags":{"${hash}:ibc/1":"gift","${hash}:ibc\\/1":"income"}}`;
  for (const body of [tagged, tagged.padEnd(MIB), '{"userTags":{},"userTags":{}}']) {
    const refused = await server.ask(events, { method: 'POST', headers: json, body });
    const { code, errors } = refused.json();
    assert.deepEqual([refused.status, code], [400, 'bad_request']);
    const path = body.startsWith(tagged) ? `userTags/${hash}:ibc~11` : 'userTags';
    assert.deepEqual(errors, [{ path, message: 'is given twice' }]);
  }
});

test('a body of 20 MiB is refused and the connection given up', async () => {
  const asked = fetch(server.base + events, { method: 'POST', headers: json, body: Buffer.alloc(20 * MIB, ' ') });
  // The sender may see its connection go before it reads the refusal.
  const status = await asked.then(
    (answer) => answer.status,
    () => 400,
  );
  assert.equal(status, 400);
  assert.equal((await server.ask('/healthz')).status, 200);
});
