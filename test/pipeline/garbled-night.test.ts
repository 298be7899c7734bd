/** Nights on blocks whose results a node has garbled: the block's hash says nothing of events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { readManifest } from '../../pipeline/publish/generation.js';
import { CUT, type Cut, FOLDED, NightCase } from './night-case.js';

type Event = { type: string; attributes: { key: string; value: string }[] };

interface Recorded {
  height: number;
  block_results: { finalize_block_events: Event[]; txs_results: { events: Event[] }[] | null };
}

/** A chain of which one attribute of one block is another text: the first of that key that the events have, at or after a height. */
function garbled(
  cut: Cut,
  from: number,
  eventsOf: (block: Recorded) => Event[],
  type: string,
  key: string,
  text: string,
) {
  const chain = new NightCase(cut);
  let height = 0;
  const lines = chain.lines().map((line) => {
    const block: Recorded = JSON.parse(line);
    if (height > 0 || block.height < from) return line;
    const attributes = eventsOf(block).find((event) => event.type === type)?.attributes;
    const attribute = attributes?.find((one) => one.key === key);
    if (!attribute) return line;
    attribute.value = text;
    height = block.height;
    return JSON.stringify(block);
  });
  chain.record(lines);
  return { chain, height };
}

test('an event that the fold cannot follow ends holdings, and rows go on', async () => {
  const own = (block: Recorded) => block.block_results.finalize_block_events;
  const { chain, height } = garbled(FOLDED, 300, own, 'commission', 'validator', 'abc');
  try {
    const { generation } = await chain.night('data');
    const manifest = readManifest(chain.path('data/generations', generation));
    assert.deepEqual([manifest.height, manifest.holdings_until], [FOLDED.last, height - 1]);
    const stop = manifest.holdings_stop!;
    assert.ok(stop.reason.startsWith(`block ${height}, BeginBlock: validator of abc: `), stop.reason);
  } finally {
    chain.remove();
  }
});

test('a block of which no rows can be made stops the night in one line that names it', async () => {
  const ofTransactions = (block: Recorded) => (block.block_results.txs_results ?? []).flatMap(({ events }) => events);
  const { chain, height } = garbled(CUT, CUT.first, ofTransactions, 'withdraw_rewards', 'msg_index', '77');
  try {
    await assert.rejects(
      () => chain.night('data'),
      (error) =>
        error instanceof BlockError &&
        error.height === height &&
        /: it cannot be classified: an event names message 77 of a transaction with \d+$/.test(error.message),
    );
  } finally {
    chain.remove();
  }
});
