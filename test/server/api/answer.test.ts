/** Answers arrive whole with their length, and a failure is a problem instead of half an answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import type { Answer } from '../../../server/http/answer.js';
import { Problem } from '../../../server/http/problem.js';
import { sharedServer, WALLETS } from '../harness.js';

const CHUNK = 'x'.repeat(1000);
/** Lines of text, so many as are counted, and an error where one is asked for. */
function* lines(count: number, failAt?: number): Generator<string> {
  for (let i = 0; i < count; i++) {
    if (i === failAt) throw new Problem('conflict', 'too late');
    yield CHUNK;
  }
}

const streaming = (path: string, chunks: () => Extract<Answer, { chunks: unknown }>['chunks']): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path,
  summary: 'Streams.',
  parameters: ['type'],
  response: 'text',
  policy: 'none',
  problems: ['conflict'],
  handle: () => ({ chunks: chunks(), type: 'text/csv; charset=utf-8; header=present', fileName: 'lines.csv' }),
});

const server = sharedServer({
  endpoints: [
    ...endpoints,
    streaming('/lines', () => lines(500)),
    streaming('/nothing', () => lines(0)),
    streaming('/refused', () => lines(5, 0)),
    streaming('/long', () => lines(2000)),
    streaming('/broken', () => lines(2000, 1000)),
  ],
});

const plain = { headers: { 'accept-encoding': 'identity' } };

test('a list arrives whole with its length, compressed or not', async () => {
  for (const init of [{}, plain]) {
    for (const [path, lines] of [
      ['/long', 2000],
      ['/lines', 500],
      ['/nothing', 0],
    ] as const) {
      const answer = await fetch(server.base + path, init);
      assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="lines.csv"');
      assert.notEqual(answer.headers.get('content-length'), null);
      assert.equal(await answer.text(), CHUNK.repeat(lines));
    }
  }
});

test('a failure is a problem, however much of the list is written by then', async () => {
  for (const path of ['/refused', '/broken']) {
    const refused = await fetch(server.base + path);
    assert.equal(refused.status, 409);
    assert.equal(refused.headers.get('content-type'), 'application/problem+json');
    assert.equal(refused.headers.get('content-disposition'), null);
  }
});

test('an answer has its length in every coding, short or long', async () => {
  for (const wallet of [WALLETS.short, WALLETS.big]) {
    const url = `${server.base}/api/tax/v1/events?address=${wallet}`;
    const uncompressed = await fetch(url, plain);
    const text = await uncompressed.text();
    assert.equal(uncompressed.headers.get('content-encoding'), null);
    assert.equal(uncompressed.headers.get('content-length'), String(Buffer.byteLength(text)));
    for (const coding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': coding };
      const compressed = await fetch(url, { headers });
      assert.equal(compressed.headers.get('content-encoding'), coding);
      assert.equal(await compressed.text(), text);
      const head = await fetch(url, { method: 'HEAD', headers });
      assert.equal(head.headers.get('content-length'), compressed.headers.get('content-length'));
    }
  }
});
