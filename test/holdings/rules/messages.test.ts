/** Messages that are not of their type: the fold goes on without those that it does not need. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { FullBlock, Message } from '../../../pipeline/chain/block.js';
import { foldBlock } from '../../../pipeline/holdings/fold-state.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import { linesOf, openGenesis, readSample } from '../recording.js';

const NEEDED = [
  '/cosmos.staking.v1beta1.MsgUndelegate',
  '/cosmos.staking.v1beta1.MsgCreateValidator',
  '/cosmos.staking.v1beta1.MsgEditValidator',
  '/cosmos.slashing.v1beta1.MsgUnjail',
  '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
  '/cosmos.gov.v1.MsgSubmitProposal',
];

/** The block with the messages of some types unread; those of a MsgExec go with it. */
function unread(block: FullBlock, isUnread: (typeUrl: string) => boolean): FullBlock {
  const unreadMessage = (message: Message): Message =>
    isUnread(message.typeUrl)
      ? { ...message, value: undefined, fault: 'index out of range', inner: [] }
      : { ...message, inner: message.inner.map(unreadMessage) };
  const transactions = block.transactions.map((transaction) => ({
    ...transaction,
    messages: transaction.messages.map(unreadMessage),
  }));
  return { ...block, transactions };
}

let blocks: readonly FullBlock[];
before(async () => {
  blocks = await readSample();
});

async function fold(all: readonly FullBlock[]): Promise<string[]> {
  const state = await openGenesis();
  for (const block of all) foldBlock(state, block, () => {});
  return linesOf(state);
}

test('without all that it does not need, the fold is the same', async () => {
  const others = (typeUrl: string) => ![...NEEDED, '/ibc.core.channel.v1.MsgRecvPacket'].includes(typeUrl);
  assert.deepEqual(await fold(blocks.map((block) => unread(block, others))), await fold(blocks));
});

for (const needed of NEEDED) {
  test(`without a ${needed.replace(/^.*\./, '')} it stops at its block, which the error names`, async () => {
    await assert.rejects(
      fold(blocks.map((block) => unread(block, (typeUrl) => typeUrl === needed))),
      (error) =>
        error instanceof HoldingsError &&
        error.difference.what.startsWith(`message ${needed}`) &&
        error.message.includes('index out of range'),
    );
  });
}
