/** Callers of the contract API beside one who asks what takes long, or who takes long to read the answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { LIMITS } from '../../../../server/http/limits.js';
import { LATEST_BLOCK, TestNode, TOKEN } from '../../contracts/node.js';
import { startServer, type TestServer } from '../../harness.js';

/** Text that no buffer of a kernel holds, and an answer of a node may have. */
const LONG = 'x'.repeat(LIMITS.nodes.answer.max - 1024);

/** Readers that read nothing. */
const UNREAD = 30;

const pathOf = (message: string) =>
  `/api/v1/query?network=mainnet&contract=${TOKEN}&query=${encodeURIComponent(message)}`;

const messageOf = (url: string) => Buffer.from(decodeURIComponent(url.split('/').at(-1)!), 'base64').toString();

/** A server behind a proxy that tells the addresses of its clients. @param answerOf the node's answer to a message; undefined: none */
async function serverOf(t: TestContext, answerOf: (message: string) => unknown) {
  const node = await TestNode.start(t);
  node.sick = ({ url }, response) => {
    const header = { chain_id: node.chainId, height: String(node.height), time: new Date().toISOString() };
    const answer = url === LATEST_BLOCK ? { block: { header } } : answerOf(messageOf(url!));
    if (answer !== undefined) response.end(JSON.stringify(answer));
  };
  const networks = JSON.stringify({ mainnet: [node.url] });
  const server = await startServer({
    environment: { HUBLEDGER_NETWORKS: networks, HUBLEDGER_TRUSTED_HOPS: '1' },
    reading: { everyMs: 60_000, bytes: 1 },
  });
  t.after(() => server.close());
  return { node, server };
}

const statusFor = async (server: TestServer, address: string, message: string) =>
  (await server.ask(pathOf(message), { headers: { 'X-Forwarded-For': address } })).status;

test('slow questions of one address leave the node to others', async (t) => {
  const { node, server } = await serverOf(t, (message) => (message.includes('slow') ? undefined : { data: 1 }));
  assert.equal(await statusFor(server, '198.51.100.1', '{"plain":0}'), 200);
  const slow = Array.from({ length: LIMITS.nodes.connections.max }, (_, i) =>
    statusFor(server, '192.0.2.1', `{"slow":${i}}`),
  );
  assert.equal(await Promise.race([statusFor(server, '198.51.100.1', '{"plain":1}'), ...slow]), 200);
  assert.ok(node.asked.length <= LIMITS.nodes.ofAddress.max + 2, `${node.asked.length} were asked`);
  assert.deepEqual(new Set(await Promise.all(slow)), new Set([504, 503]));
});

test('long answers that nobody reads wait on disk, and other callers get theirs', async (t) => {
  const { server } = await serverOf(t, (message) => ({ data: message + LONG }));
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let i = 0; i < UNREAD; i++) {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(`GET ${pathOf(`{"m":${i}}`)} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${i}\r\n\r\n`);
    await once(socket, 'readable');
  }
  assert.equal(await statusFor(server, '198.51.100.1', '{"m":"other"}'), 200);
});
