/** Fetches stored blocks again from one node, from two that agree, and from two that do not. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError, SpanError } from '../../../../pipeline/base/config-error.js';
import { type Refetched, refetchBlocks } from '../../../../pipeline/night/jobs/chain/healing.js';
import { LIES, lyingAt, PROVABLE } from '../../../chain/lies.js';
import { altered, CHAIN_ID, index, rawFiles, recording, temporaryFolder } from '../../../chain/sample.js';
import { type NodeOptions, startNode } from '../../../chain/test-node.js';
import { openDatabase } from '../../../open-database.js';

const LAST = 25;
const FILE = '0000000002-0000000025.parquet';
/** A height whose transactions move coins. */
const FALSE = 20;

/** A false answer about the height, and the same in a recording. */
const lie = lyingAt(FALSE, LIES['other events']);
const more = (line: string) => lie(FALSE, line);

/** A data folder with a false block, and one without. */
async function folders(context: TestContext) {
  const [dataDir, honest] = [temporaryFolder(context), temporaryFolder(context)];
  await index(honest, { until: LAST });
  await index(dataDir, { until: LAST, source: altered(recording(), { [FALSE]: more }) });
  assert.notDeepEqual(rawFiles(dataDir), rawFiles(honest));
  return { dataDir, expected: rawFiles(honest)[FILE], old: rawFiles(dataDir)[FILE] };
}

async function refetch(dataDir: string, nodes: readonly NodeOptions[], from = 2, to = LAST): Promise<Refetched> {
  const started = await Promise.all(nodes.map((options) => startNode(options)));
  const database = await openDatabase();
  try {
    const rpcUrls = started.map(({ url }) => url);
    return await refetchBlocks(
      { rpcUrls, nodeHeaders: {}, nodeChainId: CHAIN_ID, now: Date.now(), comparesAll: false },
      database,
      dataDir,
      { from, to },
      () => {},
    );
  } finally {
    database.close();
    for (const node of started) await node.close();
  }
}

const heightsOf = ({ replaced }: Refetched) => replaced.map(({ row }) => row.height);

test('a block that the node now gives otherwise is replaced, and the old file is kept', async (context) => {
  const { dataDir, expected, old } = await folders(context);
  assert.deepEqual(heightsOf(await refetch(dataDir, [{}])), [FALSE]);
  assert.deepEqual(rawFiles(dataDir), { [FILE]: expected, [`${FILE}.1.replaced`]: old });
  assert.deepEqual(heightsOf(await refetch(dataDir, [{ lie }], FALSE, FALSE)), [FALSE]);
  assert.deepEqual(rawFiles(dataDir), { [FILE]: old, [`${FILE}.1.replaced`]: old, [`${FILE}.2.replaced`]: expected });
});

test('white space, logs and indexed attributes are no difference', async (context) => {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { until: LAST });
  const before = rawFiles(dataDir);
  const other = (record: string) =>
    record.replaceAll(',"index":true', ' , "index":false').replaceAll('"log":""', '"log":"x"');
  const outcome = await refetch(dataDir, [{ lie: (_, line) => other(line) }]);
  assert.deepEqual(outcome, { replaced: [], files: [], disputed: [] });
  assert.deepEqual(rawFiles(dataDir), before);
});

test('a stored block that one of two nodes confirms stays, and the nodes are named', async (context) => {
  const { dataDir } = await folders(context);
  const before = rawFiles(dataDir);
  const { replaced, disputed } = await refetch(dataDir, [{ lie }, {}]);
  assert.deepEqual(replaced, []);
  assert.deepEqual(
    disputed.map(({ height, stored, others }) => [height, stored.nodes.length, others.length]),
    [[FALSE, 1, 1]],
  );
  assert.deepEqual(rawFiles(dataDir), before);
  assert.deepEqual(heightsOf(await refetch(dataDir, [{}, {}])), [FALSE], 'both give the other one');
});

test('one node answers for another that fails', async (context) => {
  const { dataDir, expected } = await folders(context);
  assert.deepEqual(heightsOf(await refetch(dataDir, [{}, { earliest: LAST }], 2, LAST - 1)), [FALSE]);
  assert.equal(rawFiles(dataDir)[FILE], expected);
});

test('nothing changes where no node answers, or a height is not in the index', async (context) => {
  const { dataDir } = await folders(context);
  const before = rawFiles(dataDir);
  await assert.rejects(() => refetch(dataDir, [{ earliest: 15 }]), ConfigError);
  await assert.rejects(() => refetch(dataDir, [{ chainId: 'other-1' }]), /serves chain other-1, expected localhub-1/);
  await assert.rejects(
    () => refetch(dataDir, [{}], 15, LAST + 1),
    (error) =>
      error instanceof SpanError &&
      error.message === 'blocks 15-26 are not all stored; the data folder has blocks 2-25',
  );
  assert.deepEqual(rawFiles(dataDir), before);
  assert.deepEqual(readdirSync(join(dataDir, 'raw', CHAIN_ID)), Object.keys(before), 'and nothing is left behind');
});

test('a block that its neighbours or its own hashes contradict takes no place', async (context) => {
  const { dataDir } = await folders(context);
  const before = rawFiles(dataDir);
  const forked = lyingAt(9, PROVABLE['a header of its own']);
  await assert.rejects(() => refetch(dataDir, [{ lie: forked }]), /^Error: block 10 .*it follows block/);
  const garbled = lyingAt(FALSE, PROVABLE['a garbled transaction']);
  await assert.rejects(
    () => refetch(dataDir, [{ lie: garbled }]),
    (error) => error instanceof ConfigError && /127\.0\.0\.1:\d+: block 20 \(/.test(error.message),
  );
  assert.deepEqual(rawFiles(dataDir), before);
  const { replaced } = await refetch(dataDir, [{ lie: garbled }, {}]);
  assert.deepEqual(
    replaced.map(({ row }) => row.height),
    [FALSE],
    'another node answers',
  );
});
