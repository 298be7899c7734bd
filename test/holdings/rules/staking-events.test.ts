/** Staking by contracts and interchain accounts, of which no message of the transaction tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldBlock } from '../../../pipeline/holdings/fold-state.js';
import { account, block, event, message, openSmallChain, operator, poolEvents } from '../small-chain.js';

const messages = [message('/cosmwasm.wasm.v1.MsgExecuteContract', {})];
const events = [
  ...poolEvents(0n, 5n),
  event('create_validator', { validator: operator(2), amount: '5uatom', msg_index: '0' }),
];

test('a validator that a contract founds is one like others, but for its key', () => {
  const state = openSmallChain([{ tokens: 10n ** 9n, delegations: [[account(1), 10n ** 9n]] }]);
  const delegation = { validator: operator(2), delegator: account(3), amount: '7uatom' };
  const more = event('delegate', { ...delegation, new_shares: '7.000000000000000000', msg_index: '0' });
  foldBlock(state, block(1, { transaction: { messages, events } }), () => {});
  foldBlock(state, block(2, { transaction: { messages: [], events: [...poolEvents(0n, 7n), more] } }), () => {});
  const { publicKey, consensusAddress, tokens, delegations } = state.validators.get(operator(2))!;
  assert.deepEqual([publicKey, consensusAddress, tokens, delegations.size], ['', '', 12n, 2]);
});
