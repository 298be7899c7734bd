/** The contract API when nodes are sick, and its quota. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { TestNode, TOKEN } from '../../contracts/node.js';
import { startServer, type TestServer } from '../../harness.js';

const PATH = `/api/v1/contract/${TOKEN}?network=mainnet`;
const queryPath = (message: string) =>
  `/api/v1/query?network=mainnet&contract=${TOKEN}&query=${encodeURIComponent(message)}`;

async function serverOf(t: TestContext, nodes: readonly TestNode[], rateLimit = '0'): Promise<TestServer> {
  const networks = JSON.stringify({ mainnet: nodes.map(({ url }) => url) });
  const environment = { HUBLEDGER_NETWORKS: networks, HUBLEDGER_RATE_LIMIT: rateLimit };
  const server = await startServer({ environment });
  t.after(() => server.close());
  return server;
}

test('where all nodes are down, 503 says when to ask again', async (t) => {
  const nodes = [await TestNode.start(t), await TestNode.start(t)];
  const server = await serverOf(t, nodes);
  assert.equal((await server.ask(PATH)).status, 200);
  for (const node of nodes) node.stop();
  for (let i = 0; i < 5; i++) {
    const { status, headers, json } = await server.ask(queryPath(`{"down":${i}}`));
    assert.deepEqual([status, json().code], [503, 'unavailable']);
    assert.ok(Number(headers.get('retry-after')) >= 1);
  }
  assert.equal((await server.ask(PATH)).status, 200, 'what is kept is answered');
});

test('a node that is silent for five seconds is 504, asked by any form', async (t) => {
  const node = await TestNode.start(t);
  const server = await serverOf(t, [node]);
  assert.equal((await server.ask(PATH)).status, 200);
  node.sick = () => undefined;
  const body = JSON.stringify({ network: 'mainnet', contract: TOKEN, query: { posted: {} } });
  const headers = { 'content-type': 'application/json' };
  const asked = [
    server.ask(queryPath('{"silent":{}}')),
    server.ask('/api/v1/query', { method: 'POST', headers, body }),
    server.ask('/api/v1/codes?network=mainnet'),
  ];
  for (const { status, json } of await Promise.all(asked)) {
    assert.deepEqual([status, json().code], [504, 'upstream_timeout']);
  }
});

test('redirects are not followed, nor is more than 8 MiB read: 502', async (t) => {
  const [node, elsewhere] = [await TestNode.start(t), await TestNode.start(t)];
  const server = await serverOf(t, [node]);
  const mebibytes = (count: number) => `{"data":"${'x'.repeat(count * 1024 * 1024 - 11)}"}`;
  node.say('{"large":{}}', mebibytes(8));
  const large = await server.ask(queryPath('{"large":{}}'));
  assert.deepEqual([large.status, large.text.length], [200, 8 * 1024 * 1024]);
  node.say('{"larger":{}}', `${mebibytes(8)} `);
  const larger = await server.ask(queryPath('{"larger":{}}'));
  assert.deepEqual([larger.status, larger.json().code], [502, 'upstream_error']);
  node.sick = ({ url }, response) => void response.writeHead(302, { location: `${elsewhere.url}${url}` }).end();
  const redirected = await server.ask(queryPath('{"token_info":{}}'));
  assert.deepEqual([redirected.status, redirected.json().code], [502, 'upstream_error']);
  assert.deepEqual(elsewhere.asked, []);
});

test('a refusal of megabytes is a short problem', async (t) => {
  const node = await TestNode.start(t);
  const server = await serverOf(t, [node]);
  const message = `${'\u0001'.repeat(1024 * 1024)}: query wasm contract failed`;
  node.say('{"wordy":{}}', JSON.stringify({ code: 2, message }), 500);
  const { status, text, json } = await server.ask(queryPath('{"wordy":{}}'));
  assert.deepEqual([status, json().code, json().errors.length], [422, 'validation_failed', 1]);
  assert.ok(text.length <= 16_000);
});

test('messages may have 64 KiB, in either form', async (t) => {
  const node = await TestNode.start(t);
  const server = await serverOf(t, [node]);
  const message = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const post = (query: string) =>
    server.ask('/api/v1/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"network":"mainnet","contract":"${TOKEN}","query":${query}}`,
    });
  node.say(message(65_536), '{"data":1}');
  assert.equal((await post(message(65_536))).text, '{"data":1}');
  const refused = await post(message(65_537));
  assert.deepEqual([refused.status, refused.json().errors[0].path], [422, 'query']);
  node.say(message(4096), '{"data":2}');
  assert.equal((await server.ask(queryPath(message(4096)))).text, '{"data":2}');
});

test('the 121st request of a minute is refused by the policy contract, the tax API still answers', async (t) => {
  const server = await serverOf(t, [await TestNode.start(t)], '60');
  let left = 120;
  for (let asked = 1; left > 0; asked++) {
    const { status, headers } = await server.ask(PATH);
    assert.equal(status, 200);
    // The document that answers are held against is asked for once, and is charged.
    left = Number(headers.get('x-ratelimit-remaining'));
    assert.equal(left, asked === 1 ? 119 : 119 - asked);
  }
  const preflight = { method: 'OPTIONS', headers: { origin: 'https://dapp.example' } };
  assert.equal((await server.ask(PATH, preflight)).status, 204);
  const { status, headers, json } = await server.ask(PATH);
  assert.deepEqual([status, json().code], [429, 'rate_limited']);
  assert.ok(Number(headers.get('retry-after')) >= 1);
  assert.equal(headers.get('x-ratelimit-limit'), '120');
  assert.equal((await server.ask('/api/tax/v1/tags')).status, 200);
});
