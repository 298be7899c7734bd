/** Ends of proposals, and what a block mints and burns: the notes that rows over many blocks rest on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { proposalEnds } from '../../../pipeline/classify/side-tables/proposal-ends.js';
import { account, block, chain, event, message, transaction } from '../events.js';
import { sampleBlocks } from '../sample.js';

const end = (proposal_id: string, proposal_result: string) =>
  event('active_proposal', { proposal_id, proposal_result }, { mode: 'EndBlock' });

test('a proposal ends with the vote, without enough deposits, or cancelled; a failed transaction ends nothing', () => {
  const cancel = event('cancel_proposal', { sender: 'x', proposal_id: '3' }, { msg_index: '0' });
  const cancelling = transaction([message('/cosmos.gov.v1.MsgCancelProposal')], [event('tx', {}), cancel]);
  const dropped = event('inactive_proposal', { proposal_id: '2', proposal_result: 'proposal_dropped' });
  const events = [event('mint', {}), dropped, end('1', 'proposal_rejected')];
  assert.deepEqual(proposalEnds(block(events, [{ ...cancelling, memo: 'no more' }])), [
    {
      height: 7,
      time: '2026-01-02 03:04:05',
      place: 0,
      tx_hash: 'AB'.repeat(32),
      memo: 'no more',
      event: 1,
      proposal: '3',
    },
    { height: 7, time: '2026-01-02 03:04:05', place: -1, tx_hash: 'block:7', memo: '', event: 1, proposal: '2' },
    { height: 7, time: '2026-01-02 03:04:05', place: -1, tx_hash: 'block:7', memo: '', event: 2, proposal: '1' },
  ]);
  assert.deepEqual(proposalEnds(block([], [{ ...cancelling, code: 5 }])), []);
});

test('an expedited proposal that fails goes on with its deposits', () => {
  assert.deepEqual(proposalEnds(block([end('1', 'expedited_proposal_rejected')])), []);
});

test('what is minted and burned in the sample is what all balances change by', () => {
  let minted = 0n;
  for (const sample of sampleBlocks()) {
    const { movements, supplyChanges } = classifyBlock(sample, chain);
    const sums = new Map<string, bigint>();
    for (const { denom, amount } of movements) sums.set(denom, (sums.get(denom) ?? 0n) + amount);
    for (const { height, denom, minted: more, burned } of supplyChanges) {
      assert.equal(height, sample.height);
      assert.equal(sums.get(denom) ?? 0n, more - burned, `${height} ${denom}`);
      sums.delete(denom);
      if (denom === 'uatom') minted += more;
    }
    for (const [denom, sum] of sums) assert.equal(sum, 0n, `${sample.height} ${denom}`);
  }
  assert.ok(minted > 0n);
});

test('transactions that mint and burn more than a table holds together make one row, of its most', () => {
  const amount = `9${'0'.repeat(37)}factory/x/huge`;
  const minting = [event('coinbase', { minter: account('x'), amount }, { msg_index: '0' })];
  const burning = [event('burn', { burner: account('x'), amount }, { msg_index: '0' })];
  const transactions = [minting, minting, burning].map((events) => transaction([message('/strange')], events));
  assert.deepEqual(classifyBlock(block([], transactions), chain).supplyChanges, [
    { height: 7, denom: 'factory/x/huge', minted: 10n ** 38n - 1n, burned: 9n * 10n ** 37n },
  ]);
});
