import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { BlockChannel } from '../../pipeline/chain/block-channel.js';
import { DamagedFileError, listRanges, rawFolder, setAside } from '../../pipeline/chain/raw-files.js';
import { readBlocks } from '../../pipeline/chain/read-blocks.js';
import { openDatabase } from '../open-database.js';
import { CHAIN_ID, index, temporaryFolder } from './sample.js';

const LAST = 620;

/** Indexes the sample up to LAST, of which some blocks may be on disk, while `take` asks for blocks. */
async function handOver(
  context: TestContext,
  stored: number,
  take: (channel: BlockChannel) => Promise<void>,
): Promise<{ dataDir: string; offered: number[] }> {
  const dataDir = temporaryFolder(context);
  if (stored > 0) await index(dataDir, { from: 1, until: stored });
  const database = await openDatabase({ threads: 1 });
  const channel = new BlockChannel(database, rawFolder(dataDir, CHAIN_ID), new AbortController().signal);
  const offered: number[] = [];
  const indexing = index(dataDir, {
    from: 1,
    until: LAST,
    onBlock: (block) => {
      offered.push(block.height);
      return channel.offer(block);
    },
  }).finally(() => channel.end());
  await Promise.all([indexing, take(channel).finally(() => channel.close())]);
  database.close();
  return { dataDir, offered };
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

for (const stored of [0, 130, 500, LAST]) {
  test(`every block comes once and in order when ${stored} are on disk already`, async (context) => {
    const seen = new Map<number, unknown>();
    const { dataDir, offered } = await handOver(context, stored, async (channel) => {
      for await (const block of channel.blocks(1, LAST)) {
        assert.ok(!seen.has(block.height));
        seen.set(block.height, block);
      }
    });
    assert.deepEqual([...seen.keys()], upTo(LAST));
    assert.deepEqual(offered, upTo(LAST).slice(stored));
    const database = await openDatabase({ threads: 1 });
    for (const range of listRanges(rawFolder(dataDir, CHAIN_ID))) {
      for await (const block of readBlocks(database, range)) assert.deepEqual(seen.get(block.height), block);
    }
    database.close();
  });
}

test('whoever goes back gets the earlier blocks again, wherever they are by then', async (context) => {
  const seen: number[] = [];
  const passes = [
    [1, 40],
    [10, 41], // nothing of it is on disk yet
    [3, 510],
    [505, 540],
    [501, LAST],
  ] as const;
  const { offered } = await handOver(context, 0, async (channel) => {
    for (const [first, until] of passes) {
      for await (const { height } of channel.blocks(first, LAST)) {
        seen.push(height);
        if (height === until) break;
      }
    }
  });
  assert.deepEqual(
    seen,
    passes.flatMap(([first, until]) => upTo(until).slice(first - 1)),
  );
  assert.deepEqual(offered, upTo(LAST));
});

test('blocks are indexed to the end when nobody takes them any more', async (context) => {
  const { dataDir, offered } = await handOver(context, 0, async (channel) => {
    for await (const { height } of channel.blocks(1, LAST)) if (height === 77) break;
  });
  assert.deepEqual(offered, upTo(LAST));
  assert.equal(listRanges(rawFolder(dataDir, CHAIN_ID)).at(-1)?.to, LAST);
});

test('a block that never comes is an error for whoever waits for it', async (context) => {
  await handOver(context, 0, async (channel) => {
    const heights: number[] = [];
    await assert.rejects(
      async () => {
        for await (const { height } of channel.blocks(1, LAST + 1)) heights.push(height);
      },
      new RegExp(`block ${LAST + 1} never arrived`),
    );
    assert.deepEqual(heights, upTo(LAST));
  });
});

test('a block whose file another reader has set aside is the fault of that file', async (context) => {
  const { dataDir } = await handOver(context, 130, async () => {});
  const folder = rawFolder(dataDir, CHAIN_ID);
  const [{ path } = assert.fail()] = listRanges(folder);
  setAside(folder, path);
  const database = await openDatabase({ threads: 1 });
  const channel = new BlockChannel(database, folder, new AbortController().signal);
  channel.end();
  await assert.rejects(channel.blocks(77, LAST).next(), new DamagedFileError(77, path));
  database.close();
});
