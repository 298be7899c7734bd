/** Connections end when nobody reads, and only then. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { boundConnections, CountedRequest, inTurn } from '../../../server/http/connections.js';
import { type Bounds, Limiter } from '../../../server/http/limiter.js';
import { LIMITS } from '../../../server/http/limits.js';
import { until } from '../../until.js';
import { sharedServer, startServer, type TestServer } from '../harness.js';

const CHUNK = 'x'.repeat(32 * 1024);

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
  answering('/late', async () => {
    await wait(1000);
    return { text: 'late', type };
  }),
];

const server = sharedServer({
  endpoints,
  reading: { everyMs: 400, bytes: 4_000_000 },
});

/** Asks, reads what comes first, and then nothing more by itself. */
async function ask(path: string, { port }: Pick<TestServer, 'port'> = server): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** Seconds until a reader is cut off; the longer ones are for a slow machine. */
const PATIENCE = [1, 2, 4, 8, 16, 32];

/** @param read what the reader does every 50 ms @returns whether the rest of a long answer never comes */
async function isCutOff(read: (socket: Socket) => void): Promise<boolean> {
  for (const seconds of PATIENCE) {
    const socket = await ask('/long');
    const timer = setInterval(() => read(socket), 50);
    await wait(seconds * 1000);
    clearInterval(timer);
    let length = 0;
    socket.on('data', (part) => {
      length += part.length;
      if (length > LONG.length) socket.destroy();
    });
    if (!socket.closed) await once(socket, 'close');
    if (length < LONG.length / 2) return true;
  }
  return false;
}

test('a reader that reads nothing is cut off', async () => {
  assert.ok(await isCutOff(() => {}));
});

test('a reader that reads nothing is cut off even if it keeps sending', async (t) => {
  const patient = await startServer({ endpoints, reading: { everyMs: 400, bytes: 1 } });
  t.after(() => patient.close());
  const socket = await ask('/long', patient);
  const timer = setInterval(() => socket.write('\r\n'), 50);
  t.after(() => {
    clearInterval(timer);
    socket.destroy();
  });
  await until(() => socket.closed, 'it is cut off');
});

test('a reader that comes back gets the rest, and then the answer to what it asked meanwhile', async (t) => {
  const reading = { everyMs: 3_600_000, bytes: 10_000_000 };
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

test('a reader that is too slow is cut off', async () => {
  assert.ok(await isCutOff((socket) => socket.read(4096)));
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

test('an address has a hundred connections, a proxy as many as there are', async () => {
  const opened = async (trustedHops: number, address: string | ((i: number) => string)) => {
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
    await turn();
    const later = sockets[149]!;
    later.destroyed = false;
    open(later);
    assert.equal(later.destroyed, false, 'a place that is free again is given again');
    return kept.length;
  };
  assert.equal(await opened(0, '203.0.113.7'), LIMITS.answers.connectionsOfAddress.max);
  const ofHousehold = (i: number) => `2001:db8:1:2${i.toString(16).padStart(2, '0')}::${i}`;
  assert.equal(await opened(0, ofHousehold), LIMITS.answers.connectionsOfAddress.max, 'a /56 is one address');
  assert.equal(await opened(1, '203.0.113.7'), 150);
  assert.equal(await opened(0, '127.0.0.1'), LIMITS.answers.connectionsOfAddress.max, 'the machine itself is no proxy');
});

const BOUNDS: Bounds = {
  running: 1000,
  runningOfAddress: 10,
  runningOfClient: 1,
  waiting: 1000,
  waitingOfClient: LIMITS.answers.pipelined.max,
  begunInTurn: 32,
  waitMs: 600_000,
};

/** Starts a server that answers in order. @returns opens a connection that has sent a text at once */
async function serving(t: TestContext, answer: RequestListener, IncomingMessage = CountedRequest) {
  const refuse: RequestListener = (_request, response) => response.writeHead(503).end('<refused>');
  const server = createServer({ IncomingMessage }, inTurn(new Limiter(BOUNDS), 0, answer, refuse)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return (sent: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(sent);
    return socket;
  };
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const LAST = get('/last', 'Connection: close\r\n');
const numbered = (count: number) => Array.from({ length: count }, (_, i) => get(`/${i}`)).join('');
const pathsOf = (answers: string) => [...answers.matchAll(/<(\/\w+)>/g)].map(([, path]) => path);

test('of the requests of one packet one is answered in each round of the event loop, in their order', async (t) => {
  let inRound = 0;
  let most = 0;
  const begin = () => {
    inRound = 0;
  };
  const send = await serving(t, ({ url }, response) => {
    if (inRound === 0) setImmediate(begin);
    inRound++;
    most = Math.max(most, inRound);
    response.end(`<${url}>`);
  });
  const paths = pathsOf(await text(send(numbered(50) + LAST)));
  assert.deepEqual(paths, [...Array.from({ length: 50 }, (_, i) => `/${i}`), '/last']);
  assert.ok(most <= 2, `${most} in one round`);
});

test('what comes while requests wait is read once they are answered, bodies among it', async (t) => {
  const send = await serving(t, async (request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    response.end(`<${request.url}>${(await text(request)).length};`);
  });
  const body = 'x'.repeat(300_000);
  const posted = `POST /posted HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = send(numbered(20) + posted + numbered(20));
  const answers = text(socket);
  await once(socket, 'readable');
  socket.write(posted + LAST);
  const paths = pathsOf(await answers);
  assert.equal(paths.length, 43);
  assert.deepEqual([paths[20], paths[41], paths[42]], ['/posted', '/posted', '/last']);
  assert.equal((await answers).split(`${body.length};`).length, 3);
});

test('a connection on which too many requests wait is cut off, before the rest of them is parsed', async (t) => {
  let parsed = 0;
  class Parsed extends CountedRequest {
    constructor(socket: Socket) {
      super(socket);
      parsed++;
    }
  }
  const asked: unknown[] = [];
  const answer: RequestListener = ({ url }, response) => {
    asked.push(url);
    if (url === '/last') response.end(`<${url}>`);
  };
  const send = await serving(t, answer, Parsed);
  const socket = send(numbered(3000));
  await new Promise((resolve) => socket.resume().on('error', resolve).on('close', resolve));
  assert.deepEqual(asked, ['/0']);
  assert.ok(parsed <= LIMITS.answers.pipelined.max + 2, `${parsed} are parsed`);
  assert.deepEqual(pathsOf(await text(send(LAST))), ['/last'], 'others are answered');
});

/** Sends a text to the server. @returns the statuses that came back until it closed */
async function statusesOf(sent: string): Promise<string[]> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(sent);
  const answers = await text(socket);
  socket.destroy();
  return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status!);
}

test('a request that breaks after its answer gets no second one', async () => {
  const socket = connect(server.port, '127.0.0.1');
  const answers = text(socket.on('error', () => undefined));
  socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  while (socket.bytesRead === 0) await wait(10);
  socket.write('nonsense\r\n');
  assert.equal((await answers).split('HTTP/1.1 ').length, 2);
});

test('whatever follows requests on their connection, these are answered, and it ends', async () => {
  const three = get('/healthz').repeat(2) + get('/healthz', 'Connection: close\r\n');
  assert.deepEqual(await statusesOf(three + get('/healthz').repeat(2)), ['200', '200', '200']);
  for (const rest of ['garbage\r\n\r\n', 'CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/3.1\r\n\r\n']) {
    const [first, second, last, ...more] = await statusesOf(get('/late') + get('/healthz') + rest);
    assert.deepEqual([first, second, more], ['200', '200', []], rest);
    assert.match(last!, /^40/, rest);
  }
  const body = 'POST /api/tax/v1/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n';
  assert.deepEqual(await statusesOf(get('/healthz') + body), ['200', '400']);
});
