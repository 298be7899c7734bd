/** Load of thousands of mixed requests over 64 connections while blocks go by: every answer is right, and no node is asked twice. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { Pool } from 'undici';
import { LATEST_BLOCK, TestNode, TOKEN } from '../../contracts/node.js';
import { startServer, type TestServer } from '../../harness.js';

const REQUESTS = 3000;
const CONNECTIONS = 64;
const QUERIES = 40;
/** Blocks that have to go by meanwhile; the nodes are looked at once a second. */
const BLOCKS = 3;
const FIRST = 4398;

let height = FIRST;
/** A query that came to a node. */
interface Asked {
  readonly node: number;
  /** Its path, and the height of the answer. */
  readonly key: string;
  /** A slow node is not waited for: the other one is asked as well, and the connection on which the first one answers too late ends. */
  isGivenUp: boolean;
}

const asked: Asked[] = [];
const latestOn = new WeakMap<Socket, Asked>();
const nodes: TestNode[] = [];
let server: TestServer;

before(async () => {
  for (let i = 0; i < 2; i++) nodes.push(await answeringNode());
  const networks = { mainnet: nodes.map(({ url }) => url) };
  server = await startServer({ environment: { HUBLEDGER_NETWORKS: JSON.stringify(networks) } });
});
after(async () => {
  await server.close();
  for (const node of nodes) node.stop();
});

/** A node of a chain whose answers name path and height. */
async function answeringNode(): Promise<TestNode> {
  const node = await TestNode.start();
  node.sick = ({ url, headers, socket }, response) => {
    if (url === LATEST_BLOCK) {
      // A block for each look: what is shown afterwards can be told.
      if (node === nodes[0]) height++;
      const header = { chain_id: node.chainId, height: String(height), time: new Date().toISOString() };
      response.end(JSON.stringify({ block: { header } }));
      return;
    }
    const at = String(headers['x-cosmos-block-height'] ?? height);
    response.setHeader('x-cosmos-block-height', at);
    note(socket, { node: nodes.indexOf(node), key: `${url} ${at}`, isGivenUp: false });
    const said = { path: url, height: at };
    const answer = { data: said, code_infos: [], contract_info: { code_id: '1' } };
    // The answer takes some time, in which others ask the same.
    setTimeout(() => response.end(JSON.stringify(answer)), 2);
  };
  return node;
}

function note(socket: Socket, one: Asked): void {
  if (!latestOn.has(socket)) {
    socket.once('close', () => {
      latestOn.get(socket)!.isGivenUp = true;
    });
  }
  latestOn.set(socket, one);
  asked.push(one);
}

interface Mixed {
  readonly path: string;
  readonly body?: string;
  readonly fixed?: number;
  readonly status: number;
}

/** The request of a number. The forms take turns, of different length each, so that all of them meet all queries. */
function requestOf(i: number): Mixed {
  const message = JSON.stringify({ q: i % QUERIES });
  const query = `network=mainnet&contract=${TOKEN}&query=${encodeURIComponent(message)}`;
  switch (i % 7) {
    case 0:
      return {
        path: '/api/v1/query',
        body: `{"network":"mainnet","contract":"${TOKEN}","query":${message}}`,
        status: 200,
      };
    case 1:
      return { path: `/api/v1/query?${query}&height=4000`, fixed: 4000, status: 200 };
    case 2:
      return { path: `/api/v1/codes?network=mainnet&limit=${1 + (i % 5)}`, status: 200 };
    case 3:
      return { path: `/api/v1/contract/${TOKEN}?network=mainnet`, status: 200 };
    case 4:
      return { path: `/api/v1/query?${query}x`, status: 400 };
    default:
      return { path: `/api/v1/query?${query}`, status: 200 };
  }
}

test('mixed requests are all answered right, and no node is asked twice for a query at one height', async (t) => {
  const pool = new Pool(server.base, { connections: CONNECTIONS });
  t.after(() => pool.close());
  let next = 0;
  const client = async () => {
    for (let i = next++; i < REQUESTS || height < FIRST + BLOCKS; i = next++) {
      const since = height;
      const { path, body, fixed, status } = requestOf(i);
      const answer = await pool.request({
        path,
        ...(body ? { method: 'POST', body, headers: { 'content-type': 'application/json' } } : { method: 'GET' }),
      });
      const { data } = (await answer.body.json()) as { data?: { path: string; height: string } };
      assert.equal(answer.statusCode, status, path);
      if (status !== 200 || !path.startsWith('/api/v1/query')) continue;
      const message = Buffer.from(decodeURIComponent(data!.path.split('/').at(-1)!), 'base64').toString();
      assert.equal(message, JSON.stringify({ q: i % QUERIES }));
      assert.equal(data!.height, answer.headers['x-block-height']);
      const shown = Number(data!.height);
      assert.ok(shown === fixed || (shown >= since - 1 && shown <= height), `${shown} of ${since}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const waitedFor = asked.filter(({ isGivenUp }) => !isGivenUp).map(({ node, key }) => `${node} ${key}`);
  assert.deepEqual(
    waitedFor.filter((one, i) => waitedFor.indexOf(one) < i),
    [],
  );
  const queries = [...new Set(asked.map(({ key }) => key))];
  const latest = queries.filter((key) => key.includes('/smart/') && !key.endsWith(' 4000'));
  assert.ok(
    latest.length >= 2 * QUERIES && latest.length <= QUERIES * (height - FIRST + 1),
    `${latest.length} queries`,
  );
});
