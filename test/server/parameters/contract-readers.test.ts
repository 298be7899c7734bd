import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import { smart, TestNode } from '../contracts/node.js';
import { startServer } from '../harness.js';

test('an address of a network of the operator is no path, whatever its prefix', async (t) => {
  const node = await TestNode.start(t);
  const server = await startServer({ environment: { HUBLEDGER_NETWORKS: JSON.stringify({ mynet: [node.url] }) } });
  t.after(() => server.close());
  const ask = (address: string) =>
    server.ask(`/api/v1/query?network=mynet&contract=${encodeURIComponent(address)}&query=%7B%7D`);
  const addressOf = (prefix: string) => bech32.encode(prefix, bech32.toWords(new Uint8Array(20).fill(7)), false);
  for (const prefix of ['../../../../cosmos/bank/v1beta1/supply?x=', 'a/b', '..', 'a%2fb', '1a', 'a?b', 'a#b', '']) {
    const address = prefix === '' ? '1qqqq' : addressOf(prefix);
    const { status, json } = await ask(address);
    assert.deepEqual([status, json().errors[0].path], [400, 'contract'], address);
  }
  assert.deepEqual(node.asked, []);
  const own = addressOf('mynet');
  node.answers.set(smart(own, '{}'), { status: 200, text: '{"data":1}' });
  assert.equal((await ask(own)).text, '{"data":1}');
});
