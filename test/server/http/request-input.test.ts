import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LIMITS } from '../../../server/http/limits.js';
import { pathOf } from '../../../server/http/request-input.js';
import { startServer, type TestServer, WALLETS } from '../harness.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

test('the path of a URL as sent, also of a whole one', () => {
  for (const [url, path] of [
    ['/a/b?c#d', '/a/b'],
    ['http://proxy.example:80/a?b', '/a'],
    ['HTTPS://x?y', '/'],
    ['*', '*'],
    ['proxy.example:443', 'proxy.example:443'],
    ['', ''],
  ] as const)
    assert.equal(pathOf(url), path, url);
});

test('a host is not parsed: to encode one of thousands of different letters takes an eighth of a second', ({
  mock,
}) => {
  const parsed = mock.method(globalThis, 'URL');
  const canParse = mock.method(URL, 'canParse');
  const host = encodeURIComponent(String.fromCodePoint(...Array.from({ length: 6900 }, (_, i) => 0x4e00 + i)));
  assert.equal(pathOf(`http://${host}/a`), '/a');
  assert.deepEqual([parsed.mock.callCount(), canParse.mock.callCount()], [0, 0]);
});

/** Head of a request with a body for the events of a wallet. */
const head = (...headers: readonly string[]) =>
  ['POST /api/tax/v1/events HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const BODY = JSON.stringify({ address: WALLETS.short });
const EXPECT = 'Expect: 100-continue';
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('a body that its sender holds back is asked for when it is read, and the connection goes on', async () => {
  const request = `${head(EXPECT, `Content-Length: ${BODY.length}`)}${BODY}`;
  const raw = await server.raw(`${request}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  assert.deepEqual(statuses(raw), [100, 200, 200]);
});

test('a body that is too large, or not wanted at all, is not asked for, and its connection ends', async () => {
  const { max } = LIMITS.input.bookkeepingBody;
  const tooLarge = await server.raw(head(EXPECT, `Content-Length: ${max + 1}`));
  assert.deepEqual(statuses(tooLarge), [400]);
  assert.match(tooLarge, /\nConnection: close\r\n[\s\S]*larger than the limit of 1 MiB/i);
  const refused = await server.raw(head(EXPECT, 'Authorization: Bearer nobody', 'Content-Length: 10'));
  assert.deepEqual(statuses(refused), [401]);
  assert.match(refused, /\nConnection: close\r\n/i);
});

test('no transfer coding but chunked is taken for plain text', async () => {
  const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const sent = (coding: string) => server.raw(`${head('Connection: close', `Transfer-Encoding: ${coding}`)}${chunked}`);
  assert.deepEqual(statuses(await sent('Chunked')), [200]);
  for (const coding of ['gzip, chunked', 'chunked, chunked', 'gzip\r\nTransfer-Encoding: chunked']) {
    const raw = await sent(coding);
    assert.deepEqual(statuses(raw), [400], coding);
    assert.match(raw, /"code":"bad_request"/, coding);
  }
});

test('a text or name with half of a surrogate pair is refused by its place, since it cannot be kept', async () => {
  const headers = { 'content-type': 'application/json' };
  const post = async (body: string) => {
    const answer = await server.ask('/api/tax/v1/events', { method: 'POST', headers, body });
    return [answer.status, answer.json().errors?.map(({ path }: { path: string }) => path)];
  };
  const address = `"address": "${WALLETS.short}"`;
  assert.deepEqual(await post(`{${address}, "userTags": {"\\ud800": "gift"}}`), [400, ['userTags/\ufffd']]);
  assert.deepEqual(await post(`{${address}, "note": ["\\ud83d\\ude00", "\\ude00"]}`), [400, ['note/1']]);
  assert.deepEqual(await post(`{${address}, "note": "\\ud83d\\ude00"}`), [200, undefined]);
});
