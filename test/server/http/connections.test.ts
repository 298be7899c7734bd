/** Connections end when nobody reads, and only then. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../../../server/endpoint.js';
import { boundConnections } from '../../../server/http/connections.js';
import { LIMITS } from '../../../server/limits.js';
import { sharedServer, startServer, type TestServer } from '../harness.js';

const CHUNK = 'x'.repeat(32 * 1024);

/** Tells that an endless answer is no longer made. */
const cutOff = new EventEmitter();

function* endless(): Generator<string> {
  try {
    for (;;) yield CHUNK;
  } finally {
    cutOff.emit('endless');
  }
}

/** A text that no buffer of a kernel holds. */
const LONG = CHUNK.repeat(512);

const answering = (path: string, handle: Endpoint['handle']): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path,
  summary: 'Answers.',
  parameters: [],
  response: 'text',
  policy: 'none',
  handle,
});

const type = 'text/csv; charset=utf-8; header=present';
const endpoints = [
  answering('/long', () => ({ text: LONG, type })),
  answering('/endless', () => ({ chunks: endless(), type })),
  answering('/late', async () => {
    await wait(1000);
    return { text: 'late', type };
  }),
];

const server = sharedServer({
  endpoints,
  reading: { silenceMs: 400, graceMs: 800, bytesPerSecond: 10_000_000 },
});

/** Milliseconds in which a connection ends that is cut off: longer than a slow machine needs. */
const CUT_OFF_MS = 60_000;

/** Asks, reads what comes first, and then nothing more by itself. */
async function ask(path: string, { port }: Pick<TestServer, 'port'> = server): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

const endedWithin = (socket: Socket, ms: number) =>
  Promise.race([once(socket.resume(), 'close').then(() => true), wait(ms, false, { ref: false })]);

test('a reader that takes nothing is cut off, and its dataset is free', async () => {
  const ended = once(cutOff, 'endless');
  const socket = await ask('/endless');
  await ended;
  // What the kernel holds is still there; behind it is the end.
  assert.ok(await endedWithin(socket, CUT_OFF_MS));
});

test('a reader that takes nothing is cut off also where it goes on sending', async (t) => {
  const patient = await startServer({ endpoints, reading: { silenceMs: 400, graceMs: 60_000, bytesPerSecond: 1 } });
  t.after(() => patient.close());
  const socket = await ask('/endless', patient);
  const timer = setInterval(() => socket.write('\r\n'), 50);
  t.after(() => {
    clearInterval(timer);
    socket.destroy();
  });
  for (const end = Date.now() + CUT_OFF_MS; !socket.closed; ) {
    assert.ok(Date.now() < end, 'it is kept');
    await wait(50);
  }
});

test('a reader that comes back gets the rest, and then the answer to what it asked meanwhile', async (t) => {
  const reading = { silenceMs: CUT_OFF_MS, graceMs: CUT_OFF_MS, bytesPerSecond: 10_000_000 };
  const patient = await startServer({ endpoints, reading });
  t.after(() => patient.close());
  const socket = await ask('/long', patient);
  await wait(300);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let text = '';
  socket.setEncoding('latin1');
  for await (const chunk of socket) text += chunk;
  assert.ok(text.length > LONG.length);
  assert.match(text, /ok\n$/);
});

test('a reader that is slower than the slowest line is cut off', async () => {
  const ended = once(cutOff, 'endless');
  const socket = await ask('/endless');
  const timer = setInterval(() => socket.read(4096), 50);
  await ended;
  clearInterval(timer);
  assert.ok(await endedWithin(socket, CUT_OFF_MS));
});

test('neither an answer that takes its time, nor a connection between two requests is cut off', async () => {
  const socket = await ask('/late');
  assert.match(String(socket.read()), /^HTTP\/1\.1 200 [\s\S]*late$/);
  await wait(1000);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  assert.match(String(socket.read()), /^HTTP\/1\.1 200 [\s\S]*ok\n$/);
  socket.destroy();
});

test('an address has a hundred connections, a proxy and the machine itself as many as there are', () => {
  const opened = (trustedHops: number, address: string | ((i: number) => string)) => {
    const listener = new EventEmitter() as EventEmitter & Server;
    boundConnections(listener, { trustedHops });
    const sockets = Array.from({ length: 150 }, (_, i) =>
      Object.assign(new EventEmitter(), {
        remoteAddress: typeof address === 'string' ? address : address(i),
        destroyed: false,
        destroy() {
          this.destroyed = true;
        },
      }),
    );
    const open = (socket: (typeof sockets)[number]) => listener.emit('connection', socket);
    for (const socket of sockets) open(socket);
    const kept = sockets.filter(({ destroyed }) => !destroyed);
    for (const socket of kept.slice(0, 3)) socket.emit('close');
    const later = sockets[149]!;
    later.destroyed = false;
    open(later);
    assert.equal(later.destroyed, false, 'a place that is free again is given again');
    return kept.length;
  };
  assert.equal(opened(0, '203.0.113.7'), LIMITS.answers.connectionsOfAddress.max);
  const ofHousehold = (i: number) => `2001:db8:1:2${i.toString(16).padStart(2, '0')}::${i}`;
  assert.equal(opened(0, ofHousehold), LIMITS.answers.connectionsOfAddress.max, 'a /56 is one address');
  assert.equal(opened(1, '203.0.113.7'), 150);
  for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.equal(opened(0, own), 150, own);
});
