import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { headerHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord } from '../../pipeline/chain/block-record.js';
import { CheckedSource } from '../../pipeline/chain/cross-check.js';
import { firstHeight, firstHeightOfDay, lastHeight } from '../../pipeline/chain/index-blocks.js';
import type { ChainSource } from '../../pipeline/chain/nodes/chain-source.js';
import { altered, CHAIN_ID, index, rawFiles, recording, sampleLines, temporaryFolder } from './sample.js';

const FIRST = 2; // the first block of 2025-12-31 or later in the sample
const LAST = 560;
const names = (dataDir: string) => Object.keys(rawFiles(dataDir));

/** The files that an undisturbed run up to LAST leaves on disk: the yardstick of all others. */
let whole: Record<string, string> | undefined;
async function undisturbed(context: TestContext): Promise<Record<string, string>> {
  if (!whole) {
    const dataDir = temporaryFolder(context);
    assert.deepEqual(await index(dataDir, { until: LAST }), {
      from: FIRST,
      first: FIRST,
      last: LAST,
      added: LAST - FIRST + 1,
    });
    whole = rawFiles(dataDir);
    assert.deepEqual(Object.keys(whole), ['0000000002-0000000500.parquet', '0000000501-0000000560.parquet']);
  }
  return whole;
}

test('a second run finds nothing to do, whatever it is asked for', async (context) => {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { until: LAST });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
  const progress: number[] = [];
  const onProgress = (done: number) => void progress.push(done);
  assert.deepEqual(await index(dataDir, { onProgress, until: LAST }), {
    from: FIRST,
    first: FIRST,
    last: LAST,
    added: 0,
  });
  assert.deepEqual(await index(dataDir, { onProgress, until: 300 }), {
    from: FIRST,
    first: FIRST,
    last: 300,
    added: 0,
  });
  assert.deepEqual(progress, []);
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

test('several nights leave the bytes of one', async (context) => {
  const dataDir = temporaryFolder(context);
  const progress: string[] = [];
  await index(dataDir, { until: 5, onProgress: (done, total) => void progress.push(`${done}/${total}`) });
  assert.deepEqual(progress, ['1/4', '2/4', '3/4', '4/4']);
  assert.deepEqual(names(dataDir), ['0000000002-0000000005.parquet']);
  await index(dataDir, { until: '2026-01-31' });
  await index(dataDir, { until: 500 });
  await index(dataDir, { until: 501 });
  assert.deepEqual(names(dataDir), ['0000000002-0000000500.parquet', '0000000501-0000000501.parquet']);
  await index(dataDir, { until: LAST });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

test('earlier blocks and holes are filled in, and merged with their neighbours', async (context) => {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { from: 300, until: 320 });
  await index(dataDir, { from: 100, until: 120 });
  assert.deepEqual(names(dataDir), ['0000000100-0000000120.parquet', '0000000300-0000000320.parquet']);
  await index(dataDir, { from: 121, until: 200 });
  assert.deepEqual(names(dataDir), ['0000000100-0000000200.parquet', '0000000300-0000000320.parquet']);
  assert.deepEqual(await index(dataDir, { until: LAST }), {
    from: FIRST,
    first: FIRST,
    last: LAST,
    added: 559 - 101 - 21,
  });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

for (const point of ['copying', 'copied', '300', '530']) {
  test(`a run killed at ${point} is taken up again`, async (context) => {
    const dataDir = temporaryFolder(context);
    const child = join(import.meta.dirname, `index-child${extname(import.meta.filename)}`);
    const { signal, stderr } = spawnSync(process.execPath, [...process.execArgv, child, dataDir, point], {
      encoding: 'utf8',
    });
    assert.equal(signal, 'SIGKILL', stderr);
    const left = names(dataDir);
    if (point.startsWith('cop')) {
      assert.deepEqual(left, ['0000000002-0000000500.parquet', '0000000501-0000000560.parquet.tmp']);
    } else assert.deepEqual(left, point === '530' ? ['0000000002-0000000500.parquet'] : []);
    await index(dataDir, { until: LAST });
    assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
  });
}

test('a file that was replaced but not yet removed is', async (context) => {
  const dataDir = temporaryFolder(context);
  const folder = join(dataDir, 'raw', CHAIN_ID);
  await index(dataDir, { until: 520 });
  const [, old] = names(dataDir);
  const aside = join(dataDir, 'aside');
  copyFileSync(join(folder, old!), aside);
  await index(dataDir, { until: LAST });
  copyFileSync(aside, join(folder, old!));
  await index(dataDir, { until: LAST });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

/** Runs over a recording with one block changed, and says what is on disk afterwards. */
async function stopAt(context: TestContext, height: number, change: (record: string) => string) {
  const dataDir = temporaryFolder(context);
  const failure = await index(dataDir, { source: altered(recording(), { [height]: change }) }).then(
    () => assert.fail('it did not stop'),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof BlockError, String(failure));
  return { message: failure.message, files: names(dataDir), dataDir };
}

const hashOf = (height: number) => /"block_id":\{"hash":"(\w+)"/.exec(sampleLines[height]!)![1];

test('a broken block stops the run with height, hash and reason; what came before stays and is built on', async (context) => {
  const { message, files, dataDir } = await stopAt(context, 535, (record) => record.slice(0, -2));
  assert.match(message, new RegExp(`^block 535 \\(${hashOf(535)}\\): the record is not JSON: [^\\n]+$`));
  assert.deepEqual(files, ['0000000002-0000000500.parquet', '0000000501-0000000533.parquet']);
  await index(dataDir, { until: LAST });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

/** Changes the header of a block, which has the hash of what it says then. */
const forged = (header: object) => (text: string) => {
  const record: BlockRecord = JSON.parse(text);
  const { block_id, block } = record.block;
  Object.assign(block.header, header);
  block_id.hash = headerHash(block.header);
  return JSON.stringify(record);
};
const otherState = forged({ app_hash: 'A'.repeat(64) });

test('the chain of hashes holds within a run, across files and across runs', async (context) => {
  for (const height of [30, 500, 501]) {
    const { message, files, dataDir } = await stopAt(context, height, otherState);
    assert.match(
      message,
      new RegExp(
        `^block ${height + 1} \\(${hashOf(height + 1)}\\): it follows block ${hashOf(height)}, but block ${height} is \\w{64}$`,
      ),
    );
    const kept = String(height - 1).padStart(3, '0');
    assert.deepEqual(files, [`0000000002-0000000${kept}.parquet`], 'either of the two may be the wrong one');
    await index(dataDir, { until: LAST });
    assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
  }
  const dataDir = temporaryFolder(context);
  await index(dataDir, { from: 40, until: 60 });
  const orphan = forged({ last_block_id: { hash: 'A'.repeat(64) } });
  const after = index(dataDir, { from: 40, source: altered(recording(), { 61: orphan }) });
  await assert.rejects(
    after,
    /^Error: block 61 \(\w{64}\): it follows block A{64}, but block 60 is \w{64}; block 60 is on disk: if it is the wrong one, `\.\/hubledger refetch 60 60` replaces it$/,
  );
  const before = index(dataDir, { source: altered(recording(), { 39: otherState }) });
  await assert.rejects(
    before,
    new RegExp(
      `^Error: block 40 \\(${hashOf(40)}\\): it follows block ${hashOf(39)}, but block 39 is \\w{64}; block 40 is on disk`,
    ),
  );
  assert.deepEqual(names(dataDir), ['0000000002-0000000038.parquet', '0000000040-0000000060.parquet']);
});

test('the last block is stored when the next one proves it', async (context) => {
  const dataDir = temporaryFolder(context);
  const wrong = index(dataDir, { until: 60, source: altered(recording(), { 60: otherState }) });
  await assert.rejects(wrong, /^Error: block 61 \(\w{64}\): it follows block \w{64}, but block 60 is \w{64}$/);
  assert.deepEqual(names(dataDir), ['0000000002-0000000059.parquet']);
  const halved = altered(recording(), { 61: (record) => record.slice(0, -2) });
  await assert.rejects(
    index(dataDir, { until: 60, source: halved }),
    /^Error: block 61 \(\w{64}\): the record is not JSON/,
  );
  assert.deepEqual(names(dataDir), ['0000000002-0000000059.parquet']);
  await index(dataDir, { until: LAST });
  assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
});

/** The recording as it was when it ended at a height. */
const endingAt = (latest: number, source = recording() as ChainSource): ChainSource => ({
  status: async () => ({ ...(await source.status()), latest }),
  records: (from, to) => source.records(from, to),
});

test('the newest block is proved by the next run, before anything is stored behind it', async (context) => {
  const [busy] = sampleLines.flatMap((line, height) => (height > 60 && line.includes('"gas_used"') ? [height] : []));
  const moreGas = (record: string) => record.replace(/"gas_used":"\d+"/, '"gas_used":"7"');
  const dataDir = temporaryFolder(context);
  await index(dataDir, { source: endingAt(busy!, altered(recording(), { [busy!]: moreGas })) });
  const files = rawFiles(dataDir);
  await assert.rejects(
    index(dataDir),
    new RegExp(
      `^Error: block ${busy} \\(\\w{64}\\): its results have the hash \\w{64}, but \\w{64} by block ${busy! + 1}; block ${busy} is on disk: `,
    ),
  );
  assert.deepEqual(rawFiles(dataDir), files);
});

test('a time before that of the last block, or ahead of the clock, is not stored', async (context) => {
  for (const [height, time, kept, fault] of [
    [30, '2025-01-05T00:00:00Z', 28, /^block 30 \(\w{64}\): its time is 2025-[^,]+, but block 29 is of 2026-[^,]+$/],
    [31, '2090-01-05T00:00:00Z', 29, /^block 31 \(\w{64}\): its time is 2090-[^,]+, but now is 20[^,]+$/],
  ] as const) {
    const { message, files, dataDir } = await stopAt(context, height, forged({ time }));
    assert.match(message, fault);
    assert.deepEqual(files, [`0000000002-00000000${kept}.parquet`]);
    await index(dataDir, { until: LAST });
    assert.deepEqual(rawFiles(dataDir), await undisturbed(context));
  }
});

test('a source of another chain, or one that begins too late, is refused in one line', async (context) => {
  const dataDir = temporaryFolder(context);
  await assert.rejects(
    index(dataDir, { nodeChainId: 'cosmoshub-4' }),
    (error) =>
      error instanceof ConfigError &&
      error.message ===
        "the node's chain is localhub-1, expected cosmoshub-4: name a node of that chain, or set HUBLEDGER_NODE_CHAIN_ID",
  );
  await assert.rejects(
    index(dataDir, { from: 0, until: 5 }),
    (error) =>
      error instanceof ConfigError && /^the node does not have height 0: its blocks begin at 1\. /.test(error.message),
  );
  await assert.rejects(
    index(dataDir, {
      nodeChainId: '../up',
      source: { status: async () => ({ chainId: '../up', earliest: 1, latest: 1 }), records: () => assert.fail() },
    }),
    ConfigError,
  );
  await assert.rejects(
    index(dataDir, { indexStart: '2027-01-01' }),
    (error) => error instanceof ConfigError && error.message === 'there is no block yet from 2027-01-01 on',
  );
  for (const [options, span] of [
    [{ from: 30, until: 20 }, '30 to 20'],
    [{ until: '2025-06-01' }, '2025-12-31 to 2025-06-01'],
  ] as const) {
    await assert.rejects(
      index(dataDir, options),
      (error) => error instanceof ConfigError && error.message === `there is no block from ${span}`,
    );
  }
  assert.deepEqual(names(dataDir), []);
});

test('files of others in the folder are left alone', async (context) => {
  const dataDir = temporaryFolder(context);
  const folder = join(dataDir, 'raw', CHAIN_ID);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await index(dataDir, { until: 20 });
  assert.deepEqual(readdirSync(folder).sort(), ['0000000002-0000000020.parquet', 'notes.txt']);
});

test('blocks between the starting state and the index are fetched too, and the index is found again without a node', async (context) => {
  const dataDir = temporaryFolder(context);
  const options = { indexStart: '2026-01-02', stateHeight: 4, until: 40 };
  const [from, first] = [5, 11]; // 2026-01-01 closes with block 10
  assert.deepEqual(await index(dataDir, options), { from, first, last: 40, added: 36 });
  assert.deepEqual(names(dataDir), ['0000000005-0000000040.parquet']);
  const pruned = { ...recording(), status: async () => ({ chainId: CHAIN_ID, earliest: 30, latest: 1000 }) };
  assert.deepEqual(await index(dataDir, { ...options, source: { ...pruned, records: recording().records } }), {
    from,
    first,
    last: 40,
    added: 0,
  });
});

test('an index of which nobody named the first day begins after a later starting state, unless it has blocks before', async (context) => {
  const dataDir = temporaryFolder(context);
  const state = { stateHeight: 20, isDefaultStart: true };
  assert.deepEqual(await index(dataDir, { ...state, until: 40 }), { from: 21, first: 21, last: 40, added: 20 });
  assert.deepEqual(await index(dataDir, { ...state, until: 45 }), { from: 21, first: 21, last: 45, added: 5 });
  const source = recording();
  source.status = async () => ({ chainId: CHAIN_ID, earliest: 21, latest: 1000 });
  const pruned = await index(temporaryFolder(context), { ...state, source, indexStart: '2026-01-01', until: 40 });
  assert.deepEqual(pruned, { from: 21, first: 21, last: 40, added: 20 });
  const begun = temporaryFolder(context);
  await index(begun, { isDefaultStart: true, until: 30 });
  assert.deepEqual(await index(begun, { ...state, until: 40 }), { from: 2, first: 2, last: 40, added: 10 });
});

test('an index begins with the day or the height that is named, also before its starting state', async (context) => {
  const ofDay = await index(temporaryFolder(context), { stateHeight: 20, until: 40 });
  assert.deepEqual(ofDay, { from: 2, first: 2, last: 40, added: 39 });
  const ofHeight = await index(temporaryFolder(context), { stateHeight: 20, from: 15, until: 40 });
  assert.deepEqual(ofHeight, { from: 15, first: 15, last: 40, added: 26 });
});

test('blocks after an early starting state that no node has stop the night', async (context) => {
  const dataDir = temporaryFolder(context);
  const source = recording();
  source.status = async () => ({ chainId: CHAIN_ID, earliest: 15, latest: 1000 });
  await assert.rejects(
    index(dataDir, { source, stateHeight: 4, indexStart: '2026-01-05' }),
    /^Error: the node does not have height 5 \(HUBLEDGER_GENESIS is the state before it\): its blocks begin at 15\. /,
  );
});

const unchecked = recording();
const sample = new CheckedSource(unchecked, { chainId: CHAIN_ID, now: Date.now });

/** The day of each height, looked up without the code under test. */
const days = sampleLines.map((line) => /"time":"(\d{4}-\d\d-\d\d)T/.exec(line)?.[1] ?? '');
const countBefore = (day: string) => days.filter((other, height) => height > 0 && other < day).length;

/** A source that has nothing below a height, as a pruned node. */
function pruned(earliest: number): CheckedSource {
  const source = {
    status: async () => ({ ...(await unchecked.status()), earliest }),
    records(from: number, to: number) {
      assert.ok(from >= earliest, `asked for ${from}`);
      return unchecked.records(from, to);
    },
  };
  return new CheckedSource(source, { chainId: CHAIN_ID, now: Date.now });
}

test('the first height of any day, by binary search', async () => {
  for (const day of [
    '2020-01-01',
    '2025-12-28',
    '2025-12-31',
    '2026-01-15',
    '2026-02-28',
    '2026-04-15',
    '2026-04-16',
  ]) {
    assert.equal(await firstHeightOfDay(sample, day, 1, 1000), countBefore(day) + 1, day);
  }
  assert.equal(await firstHeightOfDay(sample, '2026-01-15', 1, 20), 21);
  assert.equal(await firstHeightOfDay(sample, '2020-01-01', 300, 400), 300);
});

const first = (source: CheckedSource, indexStart: string, earliest: number, stored?: number) =>
  firstHeight({ source, indexStart }, { chainId: '', earliest, latest: 1000 }, stored);

test('the index begins with the first block of its first day, or of the chain', async () => {
  const start = countBefore('2025-12-31') + 1;
  assert.equal(await first(sample, '2025-12-31', 1), start);
  assert.equal(await first(sample, '2025-12-31', 1, start), start);
  assert.equal(await first(sample, '2025-12-31', 1, start + 50), start);
  assert.equal(await first(sample, '2025-12-31', 1, 2), start);
  assert.equal(await first(sample, '2024-01-01', 1), 1);
  assert.equal(await first(sample, '2027-01-01', 1), 1001);
});

test('a node that does not reach back to the first day cannot say where it begins', async () => {
  await assert.rejects(
    first(pruned(300), '2025-12-31', 300),
    (error) =>
      error instanceof ConfigError && error.message.startsWith(`the node's blocks begin at height 300 on ${days[300]}`),
  );
  assert.equal(await first(pruned(300), '2025-12-31', 300, 20), 20);
  assert.equal(await first(pruned(300), days[300]!, 300), 300);
});

test('the last height: the latest, a height, or the last of a day', async () => {
  const status = { chainId: '', earliest: 1, latest: 1000 };
  const last = (until?: number | string, stored?: number) => lastHeight({ source: sample, until }, status, 10, stored);
  assert.deepEqual([await last(), await last(400), await last(2000)], [1000, 400, 1000]);
  assert.deepEqual(
    [await last(undefined, 1200), await last(1100, 1200), await last(undefined, 900)],
    [1200, 1100, 1000],
  );
  assert.equal(await last('2026-01-31', 1200), countBefore('2026-02-01'));
  assert.equal(await last('2026-12-31', 1200), 1000);
  assert.equal(await last('2020-12-31'), 9);
});
