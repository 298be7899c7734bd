/** Parser errors: whatever a socket does ends in a problem or a clean end, and the server is there for the next one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { becomes } from '../../until.js';
import { sharedServer, WALLETS } from '../harness.js';

const TAGS = '/api/tax/v1/tags';
const GET = `GET ${TAGS} HTTP/1.1\r\nHost: x\r\n`;
const CLOSE = 'Connection: close\r\n\r\n';
const POST = 'POST /api/tax/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

const server = sharedServer({
  environment: { HUBLEDGER_TRUSTED_HOPS: '1' }, // a proxy has more connections than an address
  timeouts: { headersTimeout: 300, requestTimeout: 600, keepAliveTimeout: 500, connectionsCheckingInterval: 50 },
});

afterEach(async () => {
  assert.equal((await server.ask('/healthz')).status, 200, 'the server is there');
  assert.deepEqual(
    server.log.filter(({ level }) => Number(level) >= 40),
    [],
    'and found nothing wrong with itself',
  );
});

interface Conversation {
  readonly socket: Socket;
  /** The bytes that came back, when the server has closed. */
  readonly answer: Promise<string>;
}

async function talk(): Promise<Conversation> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  // Bytes that are still under way when the server closes come back as a reset.
  socket.on('error', (error: NodeJS.ErrnoException) => assert.match(error.code ?? '', /ECONNRESET|EPIPE/));
  const answer = new Promise<string>((resolve) => {
    const end = () => resolve(text);
    socket.on('end', end).on('close', end);
  }).finally(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, answer };
}

/** Resolves when neither end of any connection is left in this process. */
async function untilNoneIsOpen(): Promise<void> {
  const open = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  await becomes(open, 0);
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

function assertProblem(answer: string, what: string): void {
  assert.deepEqual(statuses(answer), [400], what);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, /\r\nContent-Type: application\/problem\+json(\r\n|$)/, what);
  assert.equal(JSON.parse(body).code, 'bad_request', what);
}

/** Sends a character now and then until the server has had enough. */
async function drip(text: string): Promise<string> {
  const { socket, answer } = await talk();
  const dripping = setInterval(() => socket.write('a'), 40);
  socket.write(text);
  return answer.finally(() => clearInterval(dripping));
}

test('headers that never end, a body that never ends: told so in time', async () => {
  for (const text of [`${GET}X-Slow: `, `${POST}Content-Length: 1000\r\n\r\n`, 'GE']) {
    assertProblem(await drip(text), text);
  }
});

test('a sender that closes its half too early is told so, or given up', async () => {
  const halfClosed: [string, number][] = [
    [GET, 400],
    [`${POST}Content-Length: 1000\r\n\r\n{"a`, 400],
    [`${POST}Transfer-Encoding: chunked\r\n\r\n3\r\n{"a`, 400],
  ];
  for (const [text, status] of halfClosed) {
    const { socket, answer } = await talk();
    socket.end(text);
    assert.deepEqual(statuses(await answer), [status], text);
  }
  const { socket, answer } = await talk();
  socket.end(`${GET}\r\n`);
  assert.ok(['', '200'].includes(statuses(await answer).join()), 'who does not wait for an answer may get none');
});

test('requests that do not wait for answers get them in their order', async () => {
  const { socket, answer } = await talk();
  const asked = Array.from({ length: 200 }, (_, i) => `GET ${i % 2 ? TAGS : '/nowhere'} HTTP/1.1\r\nHost: x\r\n`);
  socket.write(`${asked.join('\r\n')}\r\n${GET}${CLOSE}`);
  const got = statuses(await answer);
  assert.deepEqual(got, [...asked.map((_, i) => (i % 2 ? 200 : 404)), 200]);
});

test('senders that go in the middle of anything leave nothing behind', async () => {
  const texts = ['', 'GE', GET, `${GET}\r\n`, `${POST}Content-Length: 9\r\n\r\n{`];
  texts.push(`GET /api/tax/v1/events?address=${WALLETS.big}&format=csv HTTP/1.1\r\nHost: x\r\n\r\n`);
  for (const text of texts) {
    const conversations = await Promise.all(Array.from({ length: 20 }, talk));
    for (const { socket } of conversations) {
      socket.write(text);
      socket.resetAndDestroy();
    }
  }
  await untilNoneIsOpen();
});

const NONSENSE = [
  Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).toString('latin1'),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `${GET}X: a\0b\r\n\r\n`,
  'GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET /api/%zz HTTP/1.1\r\nHost: x\r\n${CLOSE}`,
  `GET /api/tax/v1/events?address=%ff HTTP/1.1\r\nHost: x\r\n${CLOSE}`,
  `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked, gzip\r\n${CLOSE}`,
  `${GET}Content-Length: -1\r\n\r\n`,
  `GET ${TAGS} HTTP/1.1\nHost: x\n\n`,
  `${GET}X-Huge: ${'x'.repeat(1024 * 1024)}\r\n\r\n`,
  `${GET}${'X-Many: x\r\n'.repeat(20_000)}\r\n`,
  `${'A'.repeat(100_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`,
];

test('what is not HTTP, or only nearly, is a problem or the end', async () => {
  for (const text of NONSENSE) {
    const { socket, answer } = await talk();
    socket.write(text, 'latin1');
    const got = await answer;
    // A reset may overtake the answer to a sender that is still sending.
    if (text.length < 64 * 1024 || got !== '') assertProblem(got, JSON.stringify(text.slice(0, 60)));
  }
});

test('a thousand connections that say nothing cost little, slow nobody and are ended', async (t) => {
  const memory = process.memoryUsage().rss;
  const idle = await Promise.all(Array.from({ length: 1000 }, talk));
  assert.equal((await fetch(`${server.base}${TAGS}`)).status, 200);
  const cost = (process.memoryUsage().rss - memory) / 1000;
  const answers = await Promise.all(idle.map(({ answer }) => answer));
  for (const answer of answers) assertProblem(answer, 'nothing said');
  await untilNoneIsOpen();
  t.diagnostic(`${Math.round(cost / 1024)} KiB a connection at both ends`);
  assert.ok(cost < 200 * 1024, `${cost} bytes`);
});
