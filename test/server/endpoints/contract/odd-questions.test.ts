/** Odd questions of one client while others ask plain ones: what a node or its gateway answers to them says nothing of the node. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { TestGateway } from '../../contracts/gateway.js';
import { LATEST_BLOCK, TestNode, TOKEN } from '../../contracts/node.js';
import { startServer, type TestServer } from '../../harness.js';

/** Odd questions of a round, which come together. */
const TOGETHER = 6;
const OTHERS = 484;
/** Bytes of a request line that gateways take unless they are told otherwise. */
const LINE_BYTES_MAX = 8192;
const LONG_MESSAGE = 'x'.repeat(9000);
const HUGE_ANSWER = Buffer.alloc(9 * 1024 * 1024, 'x');

const pathOf = (message: string) =>
  `/api/v1/query?network=mainnet&contract=${TOKEN}&query=${encodeURIComponent(message)}`;

/** A node that has an answer to everything, but one of its own to paths that are long. */
async function answeringNode(t: TestContext, toLong?: (response: ServerResponse) => void): Promise<TestNode> {
  const node = await TestNode.start(t);
  node.sick = ({ url }, response) => {
    if (toLong && url!.length > LINE_BYTES_MAX) return toLong(response);
    const header = { chain_id: node.chainId, height: String(node.height), time: new Date().toISOString() };
    response.end(JSON.stringify(url === LATEST_BLOCK ? { block: { header } } : { data: 1 }));
  };
  return node;
}

async function serverOf(t: TestContext, urls: readonly string[]): Promise<TestServer> {
  const server = await startServer({ environment: { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: urls }) } });
  t.after(() => server.close());
  return server;
}

const statusOf = async (server: TestServer, message: string) => (await server.ask(pathOf(message))).status;

/** Asks long and plain questions by turns. @returns the statuses of long ones, and how many of the others were refused */
async function askInTurns(server: TestServer, rounds = 14, others = OTHERS) {
  const long = new Set<number>();
  const plain: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const asked = Array.from({ length: TOGETHER }, (_, i) => statusOf(server, `{"a":"${LONG_MESSAGE}${round}.${i}"}`));
    for (const status of await Promise.all(asked)) long.add(status);
    while (plain.length < (others * round) / rounds) plain.push(await statusOf(server, `{"plain":${plain.length}}`));
  }
  return { long: [...long], refused: plain.filter((status) => status !== 200).length };
}

for (const program of programs('nginx')) {
  test('two nodes behind nginx: of 484 plain questions beside 84 long ones none is refused', async (t) => {
    const nodes = [await answeringNode(t), await answeringNode(t)];
    const gateways = await Promise.all(nodes.map(({ url }) => TestGateway.start(program, url)));
    t.after(() => Promise.all(gateways.map((gateway) => gateway.stop())));
    const server = await serverOf(
      t,
      gateways.map(({ url }) => url),
    );
    assert.deepEqual(await askInTurns(server), { long: [400], refused: 0 });
  });
}

/** Answers of nodes and gateways to a question that they cannot take, and the status that its caller gets. */
const ODD_ANSWERS: Record<string, [toLong: (response: ServerResponse) => void, status: number]> = {
  'is too long': [(response) => response.writeHead(414).end('<html>'), 400],
  'has too large a head': [(response) => response.writeHead(431).end(), 400],
  'is a bad request, as a page says': [(response) => response.writeHead(400).end('<html>'), 502],
  'is forbidden by a firewall': [(response) => response.writeHead(403).end('<html>'), 502],
  'has an answer beyond all size': [(response) => response.end(HUGE_ANSWER), 502],
  'makes the node stumble': [(response) => response.writeHead(500).end('{"code":13,"message":"panic"}'), 502],
  'takes a gateway too long': [(response) => response.writeHead(504).end('<html>'), 504],
};

for (const [name, [toLong, expected]] of Object.entries(ODD_ANSWERS)) {
  test(`a question that ${name} keeps nobody else from the node`, async (t) => {
    const nodes = [await answeringNode(t, toLong), await answeringNode(t, toLong)];
    const server = await serverOf(
      t,
      nodes.map(({ url }) => url),
    );
    assert.deepEqual(await askInTurns(server, 4, 56), { long: [expected], refused: 0 });
  });
}

test('questions that take a node too long keep nobody else from it, and are not asked again at once', async (t) => {
  const node = await answeringNode(t, () => undefined);
  const server = await serverOf(t, [node.url]);
  const slow = Array.from({ length: TOGETHER }, (_, i) => `{"a":"${LONG_MESSAGE}${i}"}`);
  const plain = async (i: number) => assert.equal(await statusOf(server, `{"plain":${i}}`), 200);
  const asked = Promise.all(slow.map((message) => statusOf(server, message)));
  await plain(1);
  assert.deepEqual(new Set(await asked), new Set([504]));
  const count = node.asked.length;
  await plain(2);
  assert.deepEqual(new Set(await Promise.all(slow.map((message) => statusOf(server, message)))), new Set([504]));
  assert.equal(node.asked.length, count + 1, 'the node has heard of the plain one alone');
});
