/** Several nodes that answer for each other while some are sick. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { Network } from '../../../server/contracts/network.js';
import { Networks } from '../../../server/contracts/networks.js';
import { Problem } from '../../../server/http/problem.js';
import { becomes } from '../../until.js';
import { smart, TestNode, TOKEN } from './node.js';

const [known] = loadReference().networks;

function networkOf(t: TestContext, ...nodes: readonly { url: string }[]): Network {
  const network = new Network(
    'mainnet',
    nodes.map(({ url }) => url),
    known,
  );
  t.after(() => network.close());
  return network;
}

const askFor = (network: Network, message = '{"token_info":{}}') =>
  network.ask({ kind: 'smart', path: smart(TOKEN, message), height: undefined, member: 'data' });

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error) => (error instanceof Problem ? error.code : String(error)),
  );

const SICKNESSES: Record<string, (node: TestNode) => void> = {
  dead: (node) => node.stop(),
  silent: (node) => {
    node.sick = () => undefined;
  },
  'of another chain': (node) => {
    node.chainId = 'other-1';
  },
  'an hour behind': (node) => {
    node.height -= 600;
    node.time -= 3_600_000;
  },
  'an hour ahead, as it says': (node) => {
    node.height += 600;
  },
  'an hour ahead by the future': (node) => {
    node.height += 600;
    node.time += 3_600_000;
  },
  'malformed in its answers': (node) => {
    node.sick = (_request, response) => void response.writeHead(200).end('{"data":');
  },
  'limiting requests': (node) => {
    node.sick = (_request, response) => void response.writeHead(429, { 'retry-after': '7' }).end('slow down');
  },
  redirecting: (node) => {
    node.sick = (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
  },
  'sending too much': (node) => {
    node.sick = (_request, response) => void response.writeHead(200).end(`{"data":"${'x'.repeat(9 * 1024 * 1024)}"}`);
  },
};

for (const [name, fall] of Object.entries(SICKNESSES)) {
  test(`a node that is ${name} is passed over, from the first request on and later`, async (t) => {
    const [sick, well] = [await TestNode.start(t), await TestNode.start(t)];
    well.say('{"who":{}}', '{"data":"well"}');
    sick.say('{"who":{}}', '{"data":"sick"}');
    fall(sick);
    const network = networkOf(t, sick, well);
    for (let i = 0; i < 5; i++) {
      const { body, height } = await askFor(network, '{"who":{}}');
      assert.deepEqual([String(body), height], ['{"data":"well"}', 4398]);
    }
    assert.ok(sick.asked.length <= 5, 'no more than once a request');
  });
}

test('an answer of another block than the latest is not taken, and no node is late because of it', async (t) => {
  for (const apart of [-600, 600]) {
    const [sick, well] = [await TestNode.start(t), await TestNode.start(t)];
    const network = networkOf(t, sick, well);
    await askFor(network);
    sick.answerHeight = sick.height + apart;
    for (let i = 0; i < 5; i++) assert.equal((await askFor(network)).height, 4398);
    assert.equal(network.height, 4398);
    well.height++;
    while (network.height === 4398) await askFor(network);
    assert.equal(network.height, 4399, 'the next block is seen');
  }
});

test('alone, each sickness has its code', async (t) => {
  const codes: Record<string, string> = {
    dead: 'unavailable',
    'malformed in its answers': 'upstream_error',
    'limiting requests': 'unavailable',
    redirecting: 'upstream_error',
    'sending too much': 'upstream_error',
    'an hour behind': 'answered',
    'of another chain': 'answered',
  };
  for (const [name, code] of Object.entries(codes)) {
    const node = await TestNode.start(t);
    SICKNESSES[name]!(node);
    assert.equal(await codeOf(askFor(networkOf(t, node))), code, name);
  }
});

test('a circuit opens, keeps requests away, and closes when the node is well again', async (t) => {
  const node = await TestNode.start(t);
  const network = networkOf(t, node);
  await askFor(network);
  node.sick = (_request, response) => void response.writeHead(503).end('<html>');
  while ((await codeOf(askFor(network))) === 'unavailable' && node.asked.length < 4);
  const asked = node.asked.length;
  for (let i = 0; i < 10; i++) {
    const refused = await askFor(network).catch((error) => error as Problem);
    assert.ok(refused instanceof Problem && refused.code === 'unavailable' && refused.retryAfter! >= 1);
  }
  assert.equal(node.asked.length, asked, 'nothing reaches it');
  node.sick = undefined;
  await becomes(() => codeOf(askFor(network)), 'answered');
});

test('a request that confuses a node opens no circuit', async (t) => {
  const node = await TestNode.start(t);
  const network = networkOf(t, node);
  for (let i = 0; i < 5; i++) assert.equal(await codeOf(askFor(network, '{"odd":{}}')), 'upstream_error');
  assert.equal(await codeOf(askFor(network)), 'answered');
});

test('networks have their names and aliases', async (t) => {
  const { networks } = loadReference();
  const usual = new Networks(undefined, networks);
  const own = new Networks({ testnet: ['http://127.0.0.1:9'], lab: ['http://127.0.0.1:9'] }, networks);
  t.after(() => Promise.all([usual.close(), own.close()]));
  assert.deepEqual(usual.names, ['mainnet', 'provider-testnet']);
  assert.equal(usual.get('testnet'), usual.get('provider-testnet'));
  assert.equal(own.get('provider-testnet')?.name, 'testnet');
  assert.deepEqual([own.get('mainnet'), own.get('lab')?.bech32Prefix], [undefined, undefined]);
});
