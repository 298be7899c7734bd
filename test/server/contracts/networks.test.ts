import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Network } from '../../../server/contracts/network.js';
import type { NodeQuery } from '../../../server/contracts/node-query.js';
import { ReplyCache } from '../../../server/contracts/reply-cache.js';

const SEEN = 4400;
const QUERY = { kind: 'smart', path: '/a/smart/b', height: undefined } as NodeQuery;

/** Asks a network whose node says a height; the network sees one more block between the first time and the last two. */
async function timesAsked(said: number): Promise<number[]> {
  const counts: number[] = [];
  let asked = 0;
  const network = {
    name: 'mainnet',
    height: SEEN,
    checkHealth: async () => {},
    ask: async () => ({ body: Buffer.from(String(++asked)), height: said, refusal: undefined }),
  };
  const cache = new ReplyCache();
  for (network.height of [SEEN, SEEN, SEEN + 1, SEEN + 2]) {
    await cache.get(network as unknown as Network, QUERY, (ask) => ask());
    counts.push(asked);
  }
  return counts;
}

test('an answer is good for its block, also one that its node knew before it was seen', async () => {
  assert.deepEqual(await timesAsked(SEEN), [1, 1, 2, 3]);
  assert.deepEqual(await timesAsked(SEEN + 1), [1, 1, 1, 2]);
});

test('a node that tells of blocks which nobody sees is believed one of them', async () => {
  assert.deepEqual(await timesAsked(1e9), [1, 1, 1, 2]);
});

/** Asks so many queries, then the first one again. @returns whether that was still in the cache */
async function keepsFirst(count: number, answer: object, pathLength = 10): Promise<boolean> {
  let asked = 0;
  const network = {
    name: 'mainnet',
    height: SEEN,
    checkHealth: async () => {},
    ask: async () => {
      asked++;
      return { body: undefined, refusal: undefined, height: SEEN, ...answer };
    },
  } as unknown as Network;
  const cache = new ReplyCache();
  const ask = (i: number) => cache.get(network, { ...QUERY, path: `${i}`.padEnd(pathLength) }, (work) => work());
  for (let i = 0; i < count; i++) await ask(i);
  await ask(0);
  return asked === count;
}

test('bodies, words of refusals and queries count in the cache alike', async () => {
  const MIB = 1024 * 1024;
  const detail = 'x'.repeat(8 * MIB);
  assert.ok(await keepsFirst(3, { refusal: { code: 'not_found', detail } }));
  assert.ok(!(await keepsFirst(10, { refusal: { code: 'not_found', detail } })));
  assert.ok(!(await keepsFirst(10, { body: Buffer.from(detail) })));
  assert.ok(!(await keepsFirst(40, { body: Buffer.from('{}') }, MIB)));
  assert.ok(await keepsFirst(1000, { body: Buffer.from('{}') }));
});
