/** Nodes behind one address: a few blocks behind each other, one of them pruned, all with a limit on requests. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RetryLimits } from '../../../pipeline/chain/nodes/node-group.js';
import { NodePool } from '../../../pipeline/chain/nodes/node-pool.js';
import { IS_NIGHT } from '../../requirements.js';
import { index, rawFiles, temporaryFolder } from '../sample.js';
import { type NodeOptions, startBalancer } from '../test-node.js';

const NIGHTS = IS_NIGHT ? 50 : 12;
const FIRST = 2;
const BLOCKS_A_NIGHT = 10;
/** Public endpoints allow ten requests a second, but ask for a longer wait. One of five is refused also where this machine is slower. */
const LIMIT: NodeOptions = {
  requestsPerSecond: 10,
  retryAfter: '0.1',
  fault: (n) => (n % 5 === 0 ? 429 : undefined),
};
const QUICK: Partial<RetryLimits> = { pauseMs: 2, pauseMaxMs: 50, promiseMaxMs: 5_000 };

async function balance(context: TestContext, ...nodes: NodeOptions[]) {
  const balancer = await startBalancer(...nodes);
  context.after(() => balancer.close());
  /** A pool of its own for every night, as the thread that reads the chain has. */
  const pool = (limits: Partial<RetryLimits> = {}) => new NodePool([balancer.url], { ...QUICK, ...limits });
  return { balancer, pool, name: new URL(balancer.url).host };
}

test(`${NIGHTS} nights that follow the tip of nodes apart leave the bytes of one`, async (context) => {
  let tip = FIRST;
  const { balancer, pool } = await balance(
    context,
    { ...LIMIT, latest: () => tip },
    { ...LIMIT, latest: () => tip - 1, earliest: () => Math.max(1, tip - 15) },
    { ...LIMIT, latest: () => tip - 3 },
  );
  const [nightly, atOnce] = [temporaryFolder(context), temporaryFolder(context)];
  for (let night = 1; night <= NIGHTS; night++) {
    tip += BLOCKS_A_NIGHT;
    const { last } = await index(nightly, { source: pool() });
    assert.ok(last <= tip && last >= tip - 3, `night ${night} ends at ${last} of ${tip}`);
  }
  const { last } = await index(nightly, { source: pool(), until: tip });
  assert.ok(balancer.counts.limited > 0, 'the limit was met');
  await index(atOnce, { until: last });
  assert.deepEqual(rawFiles(nightly), rawFiles(atOnce));
});

test('a height that a status promised is waited for until the node behind has it', async (context) => {
  let isThere = false;
  const { pool } = await balance(context, {}, { latest: () => (isThere ? 1000 : 997) }, { latest: 997 });
  const source = pool();
  assert.equal((await source.status()).latest, 1000, 'of the first node; from now on the others answer, too');
  setTimeout(() => {
    isThere = true;
  }, 100);
  const heights: number[] = [];
  for await (const { height } of source.records(996, 1000)) heights.push(height);
  assert.deepEqual(heights, [996, 997, 998, 999, 1000]);
});

test('a promise that nobody keeps ends in the words of the node', async (context) => {
  let tip = 1000;
  const { pool, name } = await balance(context, { latest: () => tip });
  const source = pool({ promiseMaxMs: 200 });
  await source.status();
  tip = 997;
  const read = async () => {
    for await (const _ of source.records(998, 998));
  };
  const words = 'Internal error: height 998 must be less than or equal to the current blockchain height 997';
  await assert.rejects(read, new RegExp(`^Error: block 998: no node has it: ${name} answers ${words}$`));
});

test('a height that one node pruned comes from another behind the address, also when that one is asked first', async (context) => {
  const { pool } = await balance(context, { earliest: 900 }, { earliest: 800 }, {});
  const [balanced, atOnce] = [temporaryFolder(context), temporaryFolder(context)];
  assert.deepEqual(await index(balanced, { source: pool(), until: 60 }), { from: 2, first: 2, last: 60, added: 59 });
  await index(atOnce, { until: 60 });
  assert.deepEqual(rawFiles(balanced), rawFiles(atOnce));
});

test('heights that every node pruned are lost, and the line says what to do', async (context) => {
  const { pool } = await balance(context, { earliest: 900 }, { earliest: 800 });
  const dataDir = temporaryFolder(context);
  await index(dataDir, { until: 60 });
  await assert.rejects(
    index(dataDir, { source: pool() }),
    /^Error: the node does not have height 61: its blocks begin at 800\. Name an archive node in HUBLEDGER_RPC_URLS [^\n]+$/,
  );
});

test('the index stays behind a tip that is live, and behind any tip by a distance that is set', async (context) => {
  const { pool } = await balance(context, { latest: 30, latestTime: new Date().toISOString() });
  const dataDir = temporaryFolder(context);
  assert.equal((await index(dataDir, { source: pool() })).last, 28);
  assert.equal((await index(dataDir, { source: pool(), tipDistance: 0 })).last, 30);
  assert.equal((await index(dataDir, { source: pool(), tipDistance: 7 })).last, 30, 'what is stored stays');
  const { pool: still } = await balance(context, { latest: 40 });
  assert.equal((await index(dataDir, { source: still(), tipDistance: 7 })).last, 33);
  assert.equal((await index(dataDir, { source: still() })).last, 40);
});
