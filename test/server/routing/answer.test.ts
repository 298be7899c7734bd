/** Streamed answers are as fast as the reader, never at the cost of others, and never half an answer that looks whole. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Answer, Endpoint } from '../../../server/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { Problem } from '../../../server/problem.js';
import { sharedServer, WALLETS } from '../harness.js';

const CHUNK = 'x'.repeat(1000);
let made = 0;
let returned = 0;

/** Lines of text, so many as are counted, and an error where one is asked for. */
function* lines(count: number, failAt?: number): Generator<string> {
  try {
    for (let i = 0; i < count; i++) {
      if (i === failAt) throw new Problem('conflict', 'too late');
      made++;
      yield CHUNK;
    }
  } finally {
    returned++;
  }
}

const BUSY_STEPS = 100;
let busySteps = 0;

/** Makes chunks that each take their time, without ever waiting for anything. */
function* busy(): Generator<string> {
  for (busySteps = 0; busySteps < BUSY_STEPS; busySteps++) {
    const until = performance.now() + 3;
    while (performance.now() < until);
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
    streaming('/endless', () => lines(200_000)),
    streaming('/refused', () => lines(5, 0)),
    streaming('/long', () => lines(2000)),
    streaming('/broken', () => lines(2000, 1000)),
    streaming('/busy', busy),
  ],
});

const plain = { headers: { 'accept-encoding': 'identity' } };

test('a list arrives whole, compressed or not; a short one with its length', async () => {
  for (const init of [{}, plain]) {
    const long = await fetch(`${server.base}/long`, init);
    assert.equal(long.headers.get('content-length'), null);
    assert.equal(await long.text(), CHUNK.repeat(2000));
    const answer = await fetch(`${server.base}/lines`, init);
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="lines.csv"');
    assert.equal(await answer.text(), CHUNK.repeat(500));
    assert.notEqual(answer.headers.get('content-length'), null);
    assert.equal(await (await fetch(`${server.base}/nothing`, init)).text(), '');
  }
});

test('HEAD makes no more of a long list than what tells that it is long', async () => {
  const [madeBefore, returnedBefore] = [made, returned];
  await fetch(`${server.base}/endless`, { method: 'HEAD' });
  assert.ok(made - madeBefore < 600);
  assert.equal(returned, returnedBefore + 1);
});

test('what fails at once is a problem; what fails later breaks the connection', async () => {
  const refused = await fetch(`${server.base}/refused`);
  assert.equal(refused.status, 409);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json');
  assert.equal(refused.headers.get('content-disposition'), null);
  for (const init of [{}, plain]) {
    const broken = await fetch(`${server.base}/broken`, init);
    assert.equal(broken.status, 200);
    await assert.rejects(broken.text());
  }
});

/** Reads a little of a path, then nothing more. */
function readALittle(path: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request = get(server.base + path, plain, (response) => {
      response.once('readable', () => resolve(() => request.destroy()));
    });
    // Being destroyed on purpose is no failure of the test.
    request.on('error', (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' || reject(error));
  });
}

test('a slow reader slows the source; one who leaves ends it, without an error in the log', async () => {
  const [madeBefore, returnedBefore] = [made, returned];
  const leave = await readALittle('/endless');
  // The reader waits until the socket's buffers are full; how long that takes is the machine's business.
  let madeThen = -1;
  for (let i = 0; i < 50 && made - madeBefore !== madeThen; i++) {
    madeThen = made - madeBefore;
    await wait(200);
  }
  assert.equal(made - madeBefore, madeThen, 'the source stands still');
  assert.ok(madeThen < 50_000);
  leave();
  for (let i = 0; i < 100 && returned === returnedBefore; i++) await wait(10);
  assert.equal(returned, returnedBefore + 1);
  assert.ok(server.log.every(({ level, path }) => Number(level) < 50 || path !== '/endless'));
});

test('others are answered while a busy stream runs', async () => {
  const stream = fetch(`${server.base}/busy`, plain).then((answer) => answer.text());
  while (busySteps === 0) await wait(1);
  await (await fetch(`${server.base}/healthz`)).text();
  assert.ok(busySteps < BUSY_STEPS, 'it was answered after the stream');
  assert.equal((await stream).length, 100_000);
});

test('a stored answer goes out as it lies, or unpacked, small or large', async () => {
  for (const wallet of [WALLETS.short, WALLETS.big]) {
    const url = `${server.base}/api/tax/v1/events?address=${wallet}`;
    const uncompressed = await fetch(url, plain);
    const text = await uncompressed.text();
    assert.equal(uncompressed.headers.get('content-encoding'), null);
    assert.equal(uncompressed.headers.get('content-length'), String(Buffer.byteLength(text)));
    const lease = server.datasets.lease()!;
    assert.ok(text.endsWith(gunzipSync(lease.dataset.storedEvents(wallet)!).toString()));
    lease.release();
    for (const coding of ['gzip', 'br']) {
      const compressed = await fetch(url, { headers: { 'accept-encoding': coding } });
      assert.equal(compressed.headers.get('content-encoding'), coding);
      assert.equal(await compressed.text(), text);
    }
  }
});
