/** Numbers in events that a node, or a proxy before it, has garbled: what later steps cannot read is never stored. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { ChainEventRecord, FullBlock } from '../../pipeline/chain/block.js';
import { resultsFault } from '../../pipeline/chain/results-fault.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { deserializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-state.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { chain, event } from '../classify/events.js';
import { linesOf, openGenesis, readSample } from '../holdings/recording.js';

const faultOf = (...events: ChainEventRecord[]) => resultsFault({ block_results: { finalize_block_events: events } });

/** What chains do write, however strange. */
const SOUND: readonly ChainEventRecord[] = [
  event('withdraw_rewards', { amount: '' }),
  event('withdraw_rewards', { amount: '0stake' }),
  event('withdraw_rewards', { amount: '1factory/cosmos1x/a:b._-c,2gamm/pool/1,3ibc/AB,4uatom' }),
  event('coin_spent', { amount: `${'9'.repeat(78)}factory/cosmos1x/huge` }),
  event('rewards', { amount: '0.000000000000000001ibc/AB,1.500000000000000000uatom' }),
  event('commission', { amount: '' }),
  event('complete_unbonding', { amount: '' }),
  event('proposal_deposit', { voting_period_start: '7' }),
  event('slash', { jailed: 'cosmosvalcons1x' }),
  event('slash', { power: '0', burned_coins: '0' }),
  event('redeem_shares', { amount: '7cosmosvaloper1x/59001' }),
  event('wasm-unbond', { amount: 'all of it' }),
  event('ibccallbackerror-coin_received', { amount: '?' }),
];

test('what a chain writes is no fault', () => {
  for (const sound of SOUND) assert.equal(faultOf(sound), undefined, JSON.stringify(sound));
});

test('an amount of more digits than the chain has is named', () => {
  const text = `${'9'.repeat(79)}uatom`;
  assert.equal(
    faultOf(event('coin_spent', { amount: text })),
    `finalize_block_events/0: the amount of coin_spent is "${text}"`,
  );
});

test('a number that is none is named with its place', () => {
  const garbled = event('delegate', { amount: '5uatom', new_shares: '5.0e1' });
  const fault = 'finalize_block_events/1: the new_shares of delegate is "5.0e1"';
  assert.equal(faultOf(SOUND[0]!, garbled), fault);
});

/** The blocks of the sample, with each state before one of them as lines. */
let blocks: FullBlock[];
before(async () => {
  blocks = await readSample();
});

const GARBLED = ['abc', '5', '5uatom,', '-5uatom', '1.5uatom', '5 uatom'];

/** The block with another value of one attribute. */
function garble(block: FullBlock, type: string, key: string, value: string): FullBlock {
  let isDone = false;
  const changed = (events: readonly ChainEventRecord[]) =>
    events.map((one) => {
      if (isDone || one.type !== type || !one.attributes.some((attribute) => attribute.key === key)) return one;
      isDone = true;
      const attributes = one.attributes.map((attribute) => (attribute.key === key ? { key, value } : attribute));
      return { type, attributes };
    });
  const events = changed(block.events);
  const transactions = block.transactions.map((one) => ({ ...one, hash: one.hash, events: changed(one.events) }));
  return { ...block, events, transactions };
}

/** Says what a step cannot read of a block; a figure that is another one than the chain's can be read. */
function unreadable(block: FullBlock, lines: readonly string[]): string | undefined {
  try {
    classifyBlock(block, chain);
    foldBlock(deserializeState(lines, sha256), block, () => {});
  } catch (error) {
    if (!(error instanceof HoldingsError)) return (error as Error).message;
    if (error.difference.what === 'a figure') return error.message;
  }
  return undefined;
}

/** Texts that say to whom, of what or which message: no numbers. */
const NO_NUMBERS = new Set(['msg_index', 'authz_msg_index', 'mode']);

test('every number of the sample that later steps cannot read is refused', async (context) => {
  const state = await openGenesis();
  const tried = new Set<string>();
  const missed: string[] = [];
  for (const block of blocks) {
    const lists = [block.events, ...block.transactions.filter(({ code }) => code === 0).map(({ events }) => events)];
    const found = lists.flat().flatMap(({ type, attributes }) => attributes.map((one) => ({ type, ...one })));
    const fresh = found.filter(({ type, key, value }) => {
      return /^\d/.test(value) && !NO_NUMBERS.has(key) && !tried.has(`${type}.${key}`);
    });
    const lines = fresh.length > 0 ? linesOf(state) : [];
    for (const { type, key } of fresh) {
      if (tried.has(`${type}.${key}`)) continue;
      tried.add(`${type}.${key}`);
      for (const value of GARBLED) {
        const fault = faultOf(event(type, { [key]: value })) ?? 'stored';
        const reason = fault === 'stored' ? unreadable(garble(block, type, key, value), lines) : undefined;
        if (reason !== undefined) missed.push(`${type}.${key} ${JSON.stringify(value)}: ${reason}`);
      }
    }
    foldBlock(state, block, () => {});
  }
  context.diagnostic(`${tried.size} attributes with numbers`);
  assert.deepEqual(missed, []);
  assert.ok(tried.size > 40);
});

test('no block of the sample has a fault', () => {
  for (const { events, transactions } of blocks) {
    const results = { finalize_block_events: events, txs_results: transactions };
    assert.equal(resultsFault({ block_results: results }), undefined);
  }
});
