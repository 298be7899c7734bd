/** Answers arrive whole with their length, and a failure is a problem instead of half an answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { bodyOf, type LongList, spool } from '../../../server/api/answer.js';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { SpoolError, Spools } from '../../../server/api/spools.js';
import { endpoints } from '../../../server/endpoints/index.js';
import type { Answer } from '../../../server/http/answer.js';
import { Problem } from '../../../server/http/problem.js';
import { until } from '../../until.js';
import { sharedServer, WALLETS } from '../harness.js';

const CODINGS = ['identity', 'gzip', 'br'] as const;
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

const longList = (count: number, failAt?: number) =>
  bodyOf({ chunks: lines(count, failAt), type: 'text/plain; charset=utf-8' }) as LongList;

const spools = new Spools(pino({ level: 'silent' }));
const at = (fd: number) => ({ fd, bytesMax: Number.POSITIVE_INFINITY });

test('an answer that breaks off closes no file and no socket of anybody else', async (t) => {
  const accepted: Socket[] = [];
  const neighbours = createServer((socket) => void accepted.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  t.after(() => neighbours.close());
  await once(neighbours, 'listening');
  const { port } = neighbours.address() as AddressInfo;
  const opened: Socket[] = [];
  const file = fileURLToPath(import.meta.url);
  const { ino, dev } = statSync(file);
  for (let round = 0; round < 200; round++) {
    const spooled = await spools.open('192.0.2.1');
    const work = spool(longList(2000, 600 + round), CODINGS[round % 3]!, at(spooled.file.fd));
    const ended = assert.rejects(work, Problem).then(() => spooled.close());
    const files: number[] = [];
    for (let i = 0; i < 10; i++) {
      files.push(openSync(file, 'r'));
      if (i === 5) opened.push(connect(port, '127.0.0.1').on('error', () => {}));
      await turn();
    }
    await ended;
    for (const fd of files) {
      const found = fstatSync(fd); // throws EBADF if the file was closed
      assert.deepEqual([found.ino, found.dev], [ino, dev]);
      closeSync(fd);
    }
  }
  await until(() => accepted.length === opened.length, 'every socket is accepted');
  for (const socket of opened) assert.equal(socket.destroyed, false);
  for (const socket of [...opened, ...accepted]) socket.destroy();
});

test('nothing writes to the file of an answer after its promise has settled', async () => {
  for (const coding of CODINGS) {
    const spooled = await spools.open('192.0.2.1');
    await assert.rejects(spool(longList(2000, 1500), coding, at(spooled.file.fd)), Problem);
    const { size } = await spooled.file.stat();
    for (let i = 0; i < 20; i++) await turn();
    assert.equal((await spooled.file.stat()).size, size);
    await spooled.close();
  }
});

test('a full disk is an error that names the folder', { skip: process.platform !== 'linux' }, async () => {
  const full = openSync('/dev/full', 'w');
  await assert.rejects(
    spool(longList(1500), 'identity', at(full)),
    (error) => error instanceof SpoolError && /^cannot write to the temporary folder .*ENOSPC/.test(error.message),
  );
  closeSync(full);
});

test('answers on disk have a bound for each address and for all, and closing one makes room', async () => {
  const few = new Spools(pino({ level: 'silent' }), { all: 3_000_000, ofAddress: 2_000_000 });
  const open = async (address: string, lines: number) => {
    const spooled = await few.open(address);
    const { bytesMax, file } = spooled;
    const { length } = await spool(longList(lines), 'identity', { bytesMax, fd: file.fd });
    spooled.add(length);
    return spooled;
  };
  const isRefused = (error: unknown) => error instanceof Problem && error.status === 503 && error.retryAfter === 10;
  const first = await open('192.0.2.1', 2000);
  await assert.rejects(few.open('192.0.2.1'), isRefused);
  const second = await open('192.0.2.2', 1000);
  await assert.rejects(few.open('192.0.2.3'), isRefused);
  await second.close();
  await first.close();
  const third = await few.open('192.0.2.1');
  await assert.rejects(spool(longList(2100), 'identity', { bytesMax: third.bytesMax, fd: third.file.fd }), isRefused);
  await third.close();
});
