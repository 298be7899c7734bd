/** `hubledger refetch` after a published lie that no audit finds. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { takeLock } from '../../../pipeline/base/disk/lock.js';
import { currentGeneration } from '../../../pipeline/publish/generation.js';
import { CUT, NightCase, treeHashes } from '../../pipeline/night-case.js';

interface Recorded {
  height: number;
  block_results: { txs_results: { code?: number; events: Event[] }[] | null };
}

interface Event {
  type: string;
  attributes: { key: string; value: string }[];
}

const attributeOf = ({ attributes }: Event, key: string) => attributes.find((one) => one.key === key)?.value;

/** Adds one to the amount of the first plain transfer of a block, in all its events. */
function moveMore({ block_results }: Recorded): boolean {
  for (const { code, events } of block_results.txs_results ?? []) {
    if (code || !events.some((event) => attributeOf(event, 'action')?.endsWith('.MsgSend'))) continue;
    const transfer = events.find(
      (event) => event.type === 'transfer' && event.attributes.some(({ key }) => key === 'msg_index'),
    );
    const amount = transfer && attributeOf(transfer, 'amount');
    if (!/^\d+uatom$/.test(amount ?? '')) continue;
    const attributes = events.flatMap((event) => event.attributes).filter(({ value }) => value === amount);
    for (const attribute of attributes)
      attribute.value = amount!.replace(/\d+/, (digits) => String(BigInt(digits) + 1n));
    return true;
  }
  return false;
}

const chain = new NightCase(CUT);
after(() => chain.remove());

test('it replaces the false block, and the next night publishes the honest generation', async () => {
  const { generation } = await chain.published('honest');
  const lines = chain.lines();
  let height = 0;
  const lying = lines.map((line) => {
    const block: Recorded = JSON.parse(line);
    if (height > 0 || block.height < CUT.first || !moveMore(block)) return line;
    height = block.height;
    return JSON.stringify(block);
  });
  chain.record(lying);
  await chain.night('data');
  assert.notEqual(currentGeneration(chain.path('data')), generation);
  chain.record(lines);
  await chain.night('data');
  assert.notEqual(currentGeneration(chain.path('data')), generation, 'nothing contradicts it');

  const heights = [String(height - 1), String(height)];
  const raw = treeHashes(chain.path('data/raw'));
  const outside = await chain.command('data', 'refetch', '1', String(height));
  assert.deepEqual(
    [outside.code, outside.error],
    [2, `hubledger: blocks 1-${height} are not all stored; the data folder has blocks 483-540\n`],
  );
  chain.variables = { HUBLEDGER_RPC_URLS: 'http://127.0.0.1:9' };
  const unreachable = await chain.command('data', 'refetch', ...heights);
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.error, /^hubledger: no node gives block \d+: no node answers: 127\.0\.0\.1:9 [^\n]+\n$/);
  chain.variables = {};
  assert.deepEqual(treeHashes(chain.path('data/raw')), raw);

  const done = await chain.command('data', 'refetch', ...heights);
  assert.deepEqual([done.code, done.error], [0, '']);
  assert.match(done.out, new RegExp(`"msg":"blocks differ and were replaced: ${height} \\(the recording\\)"`));
  assert.match(done.out, /"msg":"old file kept: [^"]+-0000000500\.parquet\.1\.replaced"/);
  assert.match(done.out, /--allow-loss/);
  assert.equal((await chain.night('data')).generation, generation);
  const again = await chain.command('data', 'refetch', ...heights);
  assert.match(again.out, /"msg":"2 blocks fetched again: none replaced"/);
  assert.equal(readdirSync(chain.path('data/raw/localhub-1')).length, 3);
});

test('it is refused while a night runs, and for wrong heights', async () => {
  await chain.published('locked');
  const release = await takeLock(chain.path('locked'), 'night', 'locked');
  try {
    const refused = await chain.command('locked', 'refetch', '500', '501');
    assert.equal(refused.code, 5);
    assert.match(refused.error, /^hubledger: a nightly run is already in progress: [^\n]+\n$/);
  } finally {
    release();
  }
  const backwards = await chain.command('locked', 'refetch', '501', '500');
  assert.deepEqual([backwards.code, backwards.error], [2, 'hubledger: 501 is after 500\n']);
});
