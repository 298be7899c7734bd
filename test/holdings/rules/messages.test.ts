/** Unreadable messages: the fold ignores those that it does not need. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { FullBlock, Message } from '../../../pipeline/chain/block.js';
import { foldBlock, foldBlocks } from '../../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import { linesOf, openGenesis, readSample } from '../recording.js';
import {
  account,
  block,
  event,
  message,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  validatorsOf,
} from '../small-chain.js';

const NEEDED = [
  '/cosmos.staking.v1beta1.MsgUndelegate',
  '/cosmos.staking.v1beta1.MsgCreateValidator',
  '/cosmos.staking.v1beta1.MsgEditValidator',
  '/cosmos.slashing.v1beta1.MsgUnjail',
  '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
  '/cosmos.gov.v1.MsgSubmitProposal',
];

/** Makes messages of some types unreadable, including those inside a MsgExec. */
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

const undelegate = (amount: string) =>
  message('/cosmos.staking.v1beta1.MsgUndelegate', {
    delegatorAddress: account(1),
    validatorAddress: operator(1),
    amount: { denom: 'uatom', amount },
  });

for (const amount of ['0x1e_8480', '2_000_000', '07502200', '']) {
  test(`an undelegation of "${amount}" is folded as what it paid`, async () => {
    const state = openSmallChain(validatorsOf(5n));
    const own = { validator: operator(1), delegator: account(1) };
    const events = [
      event('withdraw_rewards', { ...own, amount: '', msg_index: '0' }),
      ...poolEvents(-2_000_000n, 2_000_000n),
      event('unbond', { ...own, amount: '2000000uatom', msg_index: '0' }),
    ];
    const validatorUpdates = [{ publicKey: publicKey(1), power: 3 }];
    const one = block(1, { transaction: { messages: [undelegate(amount)], events }, validatorUpdates });
    await foldBlocks(
      state,
      () => [one],
      () => {},
    );
    assert.equal(state.validators.get(operator(1))!.tokens, 3_000_000n);
    assert.equal(state.unbonding, 2_000_000n);
  });
}

test('what a validator asks of its operator at least is read as its message spells it', () => {
  const state = openSmallChain(validatorsOf(5n));
  const edit = { validatorAddress: operator(1), minSelfDelegation: '1_000' };
  const messages = [message('/cosmos.staking.v1beta1.MsgEditValidator', edit)];
  foldBlock(state, block(1, { transaction: { messages, events: [] } }), () => {});
  assert.equal(state.validators.get(operator(1))!.minSelfDelegation, 1000n);
});
