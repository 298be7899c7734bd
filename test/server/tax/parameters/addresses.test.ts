import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import { readAddresses } from '../../../../server/tax/parameters/addresses.js';
import { smart, TestNode } from '../../contracts/node.js';
import { startServer } from '../../harness.js';

const address = (bytes: Uint8Array, prefix = 'cosmos') => bech32.encode(prefix, bech32.toWords(bytes));
const numbered = (n: number) => address(new Uint8Array(20).fill(n));

function read(...items: string[]): { addresses: string[]; faults: [string, number | undefined][] } {
  const faults: [string, number | undefined][] = [];
  return { addresses: readAddresses(items, 'cosmos', (message, index) => faults.push([message, index])), faults };
}

test('addresses of 20 and 32 bytes, in the asked order, each once', () => {
  const contract = address(new Uint8Array(32).fill(7));
  const { addresses, faults } = read(numbered(2), contract, numbered(1), numbered(2), contract.toUpperCase());
  assert.deepEqual(addresses, [numbered(2), contract, numbered(1)]);
  assert.deepEqual(faults, []);
});

test('blanks around an address do not count, and do not make it another address', () => {
  const { addresses, faults } = read(` ${numbered(1)}`, `${numbered(2)}\n`, `\t${numbered(1)} `);
  assert.deepEqual([addresses, faults], [[numbered(1), numbered(2)], []]);
});

test('each faulty address is told with its place', () => {
  const good = numbered(3);
  const cases: [string, RegExp][] = [
    ['', /blank/],
    [good.slice(0, -1) + (good.endsWith('q') ? 'p' : 'q'), /checksum/],
    [good[0]!.toUpperCase() + good.slice(1), /checksum/],
    ['  ', /blank/],
    [good.replace('1', '1 '), /checksum/],
    ['cosmos1', /not a bech32/],
    ['x'.repeat(5000), /not a bech32/],
    [address(new Uint8Array(20), 'cosmosvaloper'), /begins with cosmosvaloper1 instead of cosmos1/],
    [address(new Uint8Array(20), 'osmo'), /begins with osmo1/],
    [address(new Uint8Array(19)), /20 or 32 bytes/],
    [address(new Uint8Array(0)), /20 or 32 bytes/],
    [address(new Uint8Array(33)), /20 or 32 bytes/],
  ];
  for (const [item, message] of cases) {
    const { addresses, faults } = read(good, item);
    assert.deepEqual([addresses, faults.length, faults[0]?.[1]], [[good], 1, 1], item);
    assert.match(faults[0]![0], message);
    assert.ok(faults[0]![0].length < 250, 'a fault does not repeat a huge value');
  }
});

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
