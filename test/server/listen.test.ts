import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../pipeline/base/config-error.js';
import type { Endpoint } from '../../server/api/endpoint.js';
import { LIMITS } from '../../server/http/limits.js';
import { until } from '../until.js';
import { startServer } from './harness.js';

/** Tells that the slow endpoint is asked. */
const begun = new EventEmitter();

/** Makes a server that closes wait without end for connections that do not end by themselves. */
function waitForever(context: TestContext): void {
  const { drain } = LIMITS.waits;
  const { max } = drain;
  Object.assign(drain, { max: 3_600_000 });
  context.after(() => Object.assign(drain, { max }));
}

const slow: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  path: '/slow',
  summary: 'Takes its time.',
  parameters: ['type'],
  response: 'text',
  policy: 'none',
  async handle() {
    begun.emit('slow');
    await wait(300);
    return { text: 'done', type: 'text/plain; charset=utf-8' };
  },
};

const ask = (url: string, agent: Agent) =>
  new Promise<string>((resolve, reject) => {
    const read = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    };
    get(url, { agent }, read).on('error', reject);
  });

test('a server that closes ends what it has begun, accepts nothing new and waits for no idle connection', async (t) => {
  waitForever(t);
  const server = await startServer({ endpoints: [slow] });
  const agent = new Agent({ keepAlive: true });
  await ask(`${server.base}/healthz`, agent);
  const asked = once(begun, 'slow');
  const underWay = ask(`${server.base}/slow`, agent);
  await asked;
  const closed = server.close();
  const outcome = () => ask(`${server.base}/healthz`, new Agent()).catch(({ code }: NodeJS.ErrnoException) => code);
  await until(async () => (await outcome()) === 'ECONNREFUSED', 'it accepts nothing new');
  assert.equal(await underWay, 'done');
  await closed;
  agent.destroy();
});

test('a server that is about to end goes on answering, and sends its clients elsewhere', async () => {
  const server = await startServer({ endpoints: [] });
  const kept = new Agent({ keepAlive: true });
  assert.equal(await ask(`${server.base}/healthz`, kept), 'ok\n');
  const handOver = new EventEmitter();
  const closed = server.close(once(handOver, 'end'));
  for (const agent of [kept, new Agent()]) {
    const { statusCode, headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.base}/healthz`, { agent }, (response) => resolve(response.resume())).on('error', reject);
    });
    assert.deepEqual([statusCode, headers.connection], [200, 'close']);
  }
  const answer = await fetch(`${server.base}/readyz`);
  const { code } = (await answer.json()) as { code: string };
  assert.deepEqual([answer.status, code, answer.headers.get('retry-after')], [503, 'unavailable', '5']);
  handOver.emit('end');
  await closed;
  await assert.rejects(ask(`${server.base}/healthz`, new Agent()), /ECONNREFUSED/);
  kept.destroy();
});

test('a server that closes lets busy connections end after the answer under way', async (t) => {
  waitForever(t);
  const server = await startServer({ endpoints: [] });
  const agent = new Agent({ keepAlive: true, maxSockets: 5 });
  let answers = 0;
  const clients = Array.from({ length: 5 }, async () => {
    for (;;) {
      const text = await ask(`${server.base}/healthz`, agent).catch((error: NodeJS.ErrnoException) => error.code);
      if (text !== 'ok\n') return text;
      answers++;
    }
  });
  await until(() => answers >= 100, 'a hundred answers');
  await server.close();
  for (const end of await Promise.all(clients)) assert.match(end ?? '', /^ECONN(REFUSED|RESET)$/);
  agent.destroy();
});

test('a server that closes ends every connection, also one that has left HTTP or stays half open', async () => {
  const server = await startServer({ endpoints: [slow] });
  const texts = ['CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n', 'garbage\r\n\r\n', 'GET / HTTP/1.1\r\nX: ', ''];
  const sockets = texts.map((text) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).write(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${text}`);
    return socket;
  });
  await once(begun, 'slow');
  await server.close();
  for (const socket of sockets) socket.destroy();
});

test('a port in use is one line for the operator', async (t) => {
  const server = await startServer({ endpoints: [] });
  t.after(() => server.close());
  for (const variable of ['HUBLEDGER_PORT', 'HUBLEDGER_METRICS_PORT']) {
    await assert.rejects(
      startServer({ endpoints: [], environment: { [variable]: String(server.port) } }),
      (error: Error) => {
        const line = `port ${server.port} of 127.0.0.1 is in use by (.+); set HUBLEDGER_HOST and ${variable}`;
        const [, holder] = new RegExp(`^${line}$`).exec(error.message) ?? [];
        const isLinux = process.platform === 'linux';
        assert.match(holder!, isLinux ? new RegExp(`^process ${process.pid} \\(\\S*node[^\\n]*\\)$`) : /./);
        return error instanceof ConfigError;
      },
    );
  }
});

test('an expectation that nobody knows does no harm', async (t) => {
  const server = await startServer({ endpoints: [] });
  t.after(() => server.close());
  const raw = await server.raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n');
  assert.match(raw, /^HTTP\/1\.1 200 /);
});
