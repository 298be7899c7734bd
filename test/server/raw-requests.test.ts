/** Whatever bytes come, the server lives, and answers them with problems or pages. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Endpoint } from '../../server/api/endpoint.js';
import { endpoints } from '../../server/endpoints/index.js';
import { talkRaw } from '../attack/raw-requests.js';
import { Seeded } from '../attack/visitor.js';
import { sharedServer } from './harness.js';

/** An error that throws when somebody looks at it. */
const hostile = new Proxy(new Error('hostile'), {
  get() {
    throw new Error('nobody may look');
  },
});

const failing: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  path: '/failing',
  summary: 'Fails.',
  parameters: [],
  response: 'text',
  policy: 'none',
  handle() {
    throw hostile;
  },
};

const server = sharedServer({ endpoints: [...endpoints, failing], environment: { HUBLEDGER_TRUSTED_HOPS: '1' } });

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => rejections.push(reason));

afterEach(async () => {
  assert.equal((await server.ask('/healthz')).status, 200);
  await new Promise(setImmediate);
  assert.deepEqual(rejections, []);
});

const TARGETS = [
  ...['http://[::1/healthz', 'http://xn--a/', 'x://[/', 'http://user@[::1', 'http://]/', 'ftp://x/healthz', 'http://'],
  ...['https://a b/healthz', `http://${'x'.repeat(400)}/healthz`, 'http://x:99999/healthz', 'x://', 'x://?a'],
];

test('a target that no URL parser takes is a problem', async () => {
  // The URL parser of Node.js 24 accepts http://xn--a/ and the long host.
  const refused = TARGETS.filter((target) => !/^https?:/i.test(target) || !URL.canParse(target));
  assert.ok(refused.length >= TARGETS.length - 2);
  for (const target of refused) {
    const raw = await server.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(raw, /^HTTP\/1\.1 400 [\s\S]*\r\nContent-Type: application\/problem\+json\r\n/, target);
    assert.equal(JSON.parse(raw.split('\r\n\r\n')[1]!).code, 'bad_request', target);
  }
  for (const target of ['http://[::1]:8080/healthz', 'HTTPS://user@x/healthz?a', '/healthz#//user@[::1', '/healthz']) {
    const raw = await server.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(raw, /^HTTP\/1\.1 200 /, target);
  }
  assert.match(
    await server.raw('GET //user@[::1#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 404 /,
  );
});

test('a fault that cannot be told ends its own request alone', async () => {
  await assert.rejects(fetch(`${server.base}/failing`));
});

test('thousands of raw requests are answered, or end', async () => {
  const { answers, faults } = await talkRaw(server.port, 3000, new Seeded(20));
  assert.deepEqual(faults.slice(0, 3), []);
  assert.ok(answers > 0); // on a busy machine most conversations end before their answer
  assert.deepEqual(
    server.log.filter(({ level, path }) => Number(level) >= 50 && path !== '/failing'),
    [],
  );
});
