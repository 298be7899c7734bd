/** Nodes that lie about one height of a chain that is otherwise true: alone, and beside an honest one. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { type CrossCheck, crossCheckSecret, isSampled } from '../../pipeline/chain/cross-check.js';
import { NodePool } from '../../pipeline/chain/nodes/node-pool.js';
import { LIES, type Lie, lyingAt, otherValidatorUpdate, PROVABLE } from './lies.js';
import { index, rawFiles, temporaryFolder } from './sample.js';
import { type NodeOptions, startNode } from './test-node.js';

/** A height with transactions, one with a change of the validator set, and the end of the index. */
const [BUSY, CHANGING, LAST] = [20, 21, 30];
const ALL: CrossCheck = { share: 1, secret: 'a secret' };
const MOST: CrossCheck = { ...ALL, share: 0.99 };
const QUICK = { pauseMs: 1, pauseMaxMs: 5, startRounds: 2, rounds: 2 };
const truth: Lie = (_, line) => line;

/** A run of the indexer over nodes with these lies, in order of preference. */
async function run(
  context: TestContext,
  lies: readonly (Lie | NodeOptions)[],
  crossCheck?: CrossCheck,
  dead: readonly string[] = [],
) {
  const dataDir = temporaryFolder(context);
  const nodes = await Promise.all(lies.map((lie) => startNode(typeof lie === 'function' ? { lie } : lie)));
  context.after(() => Promise.all(nodes.map((node) => node.close())));
  const names = nodes.map(({ url }) => new URL(url).host);
  const source = new NodePool([...nodes.map(({ url }) => url), ...dead], QUICK, crossCheck);
  const uncompared: number[] = [];
  const onUncompared = (height: number) => void uncompared.push(height);
  let error: unknown;
  try {
    await index(dataDir, { source, until: LAST, crossCheck, onUncompared });
  } catch (thrown) {
    error = thrown;
  }
  return { error, files: rawFiles(dataDir), names, uncompared };
}

/** The files of an honest run. */
let honest: Record<string, string> | undefined;
async function honestFiles(context: TestContext) {
  honest ??= (await run(context, [truth])).files;
  return honest;
}

/** Asserts that the night stopped at one of the heights, in a line that names all nodes. */
function assertStopped(error: unknown, heights: readonly number[], names: readonly string[]) {
  assert.ok(error instanceof BlockError, String(error));
  assert.ok(heights.includes(error.height), error.message);
  for (const name of names) assert.ok(error.message.includes(name), `${error.message} names ${name}`);
}

for (const [what, change] of Object.entries(PROVABLE)) {
  test(`${what} of one node stops the night, and nothing of it is stored`, async (context) => {
    const { error, files, names } = await run(context, [lyingAt(BUSY, change)]);
    assertStopped(error, [BUSY, BUSY + 1], names);
    assert.match(Object.keys(files)[0]!, /^0000000002-00000000(18|19)\.parquet$/);
  });

  test(`${what} of one of two nodes is asked of the other, whichever lies`, async (context) => {
    for (const lies of [
      [lyingAt(BUSY, change), truth],
      [truth, lyingAt(BUSY, change)],
    ]) {
      const { error, files } = await run(context, lies, MOST);
      assert.equal(error, undefined);
      assert.deepEqual(files, await honestFiles(context));
    }
  });
}

const unprovable = [
  ...Object.entries(LIES).map(([what, change]) => [what, BUSY, change] as const),
  ['another validator update', CHANGING, otherValidatorUpdate] as const,
];

for (const [what, height, change] of unprovable) {
  test(`${what}: two nodes that differ stop the night, whichever lies`, async (context) => {
    for (const lies of [
      [lyingAt(height, change), truth],
      [truth, lyingAt(height, change)],
    ]) {
      const { error, files, names } = await run(context, lies, ALL);
      assertStopped(error, [height], names);
      assert.match((error as Error).message, /answer differently: \S/);
      assert.deepEqual(Object.keys(files), [`0000000002-00000000${height - 1}.parquet`]);
    }
  });
}

test('another outcome in the last block, which no header proves yet: two nodes that differ stop the night', async (context) => {
  const liar = { latest: LAST, lie: lyingAt(LAST, PROVABLE['another outcome']) };
  for (const lies of [
    [liar, { latest: LAST }],
    [{ latest: LAST }, liar],
  ]) {
    const { error, files, names } = await run(context, lies, ALL);
    assertStopped(error, [LAST], names);
    assert.deepEqual(Object.keys(files), [`0000000002-00000000${LAST - 1}.parquet`]);
  }
});

test('honest nodes agree on all heights, and on the same bytes', async (context) => {
  const { error, files, uncompared } = await run(context, [truth, truth], ALL);
  assert.equal(error, undefined);
  assert.deepEqual(uncompared, []);
  assert.deepEqual(files, await honestFiles(context));
});

test('what nodes decide for themselves is no difference', async (context) => {
  const otherWords: Lie = (_, line) =>
    line
      .replaceAll('"index":true', '"index":false')
      .replaceAll('"log":""', '"log":"fine"')
      .replaceAll('"validator_updates":null', '"validator_updates":[]');
  const { error } = await run(context, [truth, otherWords], ALL);
  assert.equal(error, undefined);
});

test('a second node that is some blocks behind is waited for', async (context) => {
  let asked = 0;
  const { error } = await run(context, [truth, { latest: () => (asked++ < 40 ? 25 : 1000) }], ALL);
  assert.equal(error, undefined);
  assert.ok(asked > 40);
});

test('heights that no second node has are counted, and stop the night where all are to be compared', async (context) => {
  const dead = ['http://127.0.0.1:1'];
  const half = { share: 0.5, secret: 'a secret' };
  const sampled = Array.from({ length: LAST - 1 }, (_, i) => i + 2).filter((height) => isSampled(half, height));
  const { error, uncompared, files } = await run(context, [truth], half, dead);
  assert.equal(error, undefined);
  assert.deepEqual(uncompared, sampled);
  assert.deepEqual(files, await honestFiles(context));
  const { error: stopped, names } = await run(context, [truth], ALL, dead);
  assertStopped(stopped, [2], names);
});

test('an answer that the next header refutes is no second one', async (context) => {
  const lies = [lyingAt(BUSY, PROVABLE['results of another block']), truth];
  const { error, uncompared } = await run(context, lies, MOST);
  assert.deepEqual([error, uncompared], [undefined, [BUSY]]);
  const { error: stopped, names } = await run(context, lies, ALL);
  assertStopped(stopped, [BUSY], names);
});

test('the sample has its share of heights, follows from the secret, and stays the same', (context) => {
  const heights = Array.from({ length: 20_000 }, (_, i) => i + 1);
  const sampleOf = (secret: string) => heights.filter((height) => isSampled({ share: 0.02, secret }, height));
  const [one, other] = [sampleOf('one'), sampleOf('other')];
  for (const { length } of [one, other]) assert.ok(length > 300 && length < 500, String(length));
  assert.deepEqual(one, sampleOf('one'));
  assert.ok(one.filter((height) => other.includes(height)).length < 50);
  const [dataDir, another] = [temporaryFolder(context), temporaryFolder(context)];
  assert.match(crossCheckSecret(dataDir), /^[0-9a-f]{64}$/);
  assert.equal(crossCheckSecret(dataDir), crossCheckSecret(dataDir));
  assert.notEqual(crossCheckSecret(dataDir), crossCheckSecret(another));
});
