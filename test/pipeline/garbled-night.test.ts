/** Nights on blocks whose results a node has garbled: the block's hash says nothing of events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { readManifest } from '../../pipeline/publish/generation.js';
import { LIES, lyingAt } from '../chain/lies.js';
import { startNode } from '../chain/test-node.js';
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
        /: it cannot be classified: an event names message 77 of a transaction with \d+; the node gives the same block /.test(
          error.message,
        ),
    );
  } finally {
    chain.remove();
  }
});

test('events that a second node does not confirm stop the night, and the next one too', async (context) => {
  const chain = new NightCase(CUT);
  const height =
    CUT.first +
    chain
      .lines()
      .slice(CUT.first - CUT.from)
      .findIndex((line) => line.includes('"transfer"'));
  const nodes = await Promise.all([startNode({ lie: lyingAt(height, LIES['coins out of nothing']) }), startNode()]);
  context.after(async () => {
    chain.remove();
    await Promise.all(nodes.map((node) => node.close()));
  });
  const [liar, honest] = nodes.map(({ url }) => url);
  chain.variables = { HUBLEDGER_RPC_URLS: `${liar},${honest}`, HUBLEDGER_CROSS_CHECK: 'all' };
  for (let night = 1; night <= 2; night++) {
    await assert.rejects(
      () => chain.night('data', { until: CUT.last }),
      (error) =>
        error instanceof BlockError &&
        error.height === height &&
        /: \S+ and \S+ answer differently: txs_results\/0\/events\/\d+ \(coin_received\)/.test(error.message),
    );
  }
  // Without price sources, as for the dataset below: the manifest names days for which no market could be reached.
  chain.variables = { HUBLEDGER_RPC_URLS: honest!, HUBLEDGER_PRICE_SOURCES: 'none' };
  const { generation } = await chain.night('data', { until: CUT.last });
  chain.variables = {};
  assert.equal(generation, (await chain.published('other')).generation);
});
