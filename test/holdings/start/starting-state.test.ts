/** A genesis with validator-creating transactions equals one that lists these validators. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleAccount } from '../../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { StartingState } from '../../../pipeline/holdings/start/starting-state.js';
import type { HoldingsState } from '../../../pipeline/holdings/state.js';
import { JsonItem } from '../../../pipeline/holdings/values/json-item.js';
import { linesOf } from '../recording.js';
import { account, openSmallChain, operator, publicKey, takeParameters } from '../small-chain.js';

const pool = (name: string) => moduleAccount(name, 'cosmos', sha256);
const MODULES = ['bonded_tokens_pool', 'not_bonded_tokens_pool'].map(pool) as [string, string];

const creation = (number: number, amount: string) => ({
  '@type': '/cosmos.staking.v1beta1.MsgCreateValidator',
  description: { moniker: `validator ${number}` },
  commission: { rate: '0.050000000000000000' },
  min_self_delegation: '1',
  validator_address: operator(number),
  pubkey: { '@type': '/cosmos.crypto.ed25519.PubKey', key: publicKey(number) },
  value: { denom: 'uatom', amount },
});

/** Opens such a genesis; returns its state, balances and names. */
function open(messages: readonly object[], maxValidators: number) {
  const balances = new Map<string, bigint>();
  const names: string[] = [];
  const starting = new StartingState(sha256, {
    onBalance: (address, _, amount) => balances.set(address, (balances.get(address) ?? 0n) + amount),
    onValidator: (_, moniker) => names.push(moniker),
  });
  const take = (path: string, value: unknown) => starting.readers[path]!(new JsonItem(path, value));
  for (const message of messages) take('app_state.genutil.gen_txs[]', { body: { messages: [message] } });
  takeParameters(take, maxValidators);
  for (const number of [101, 102]) {
    take('app_state.bank.balances[]', { address: account(number), coins: [{ denom: 'uatom', amount: '9000000' }] });
  }
  return { state: starting.open(), balances, names };
}

/** Lines of a state without bank balances, which the small chain lacks. */
const withoutBank = (state: HoldingsState) =>
  linesOf(state).map((line) => line.replace(/"moduleAccounts":.*?\]\]\}\]\]/, ''));

test('validators, delegations and periods are those of a genesis that lists them', () => {
  const { state, balances, names } = open([creation(1, '5000000'), creation(2, '3000000')], 100);
  const listed = openSmallChain([
    { tokens: 5_000_000n, delegations: [[account(101), 5_000_000n]] },
    { tokens: 3_000_000n, delegations: [[account(102), 3_000_000n]] },
  ]);
  assert.deepEqual([...state.validators.values()], [...listed.validators.values()]);
  assert.deepEqual(withoutBank(state).slice(1), withoutBank(listed).slice(1));
  assert.deepEqual(names, ['validator 1', 'validator 2']);
  assert.deepEqual(
    [...balances],
    [
      [account(101), 4_000_000n],
      [account(102), 6_000_000n],
      [MODULES[0], 8_000_000n],
    ],
  );
  assert.equal(state.differences.size, 0);
});

test('one for whom there is no room stays unbonded, and its coins are in the other pool', () => {
  const { state, balances } = open([creation(1, '5000000'), creation(2, '3000000')], 1);
  assert.deepEqual(
    [...state.validators.values()].map(({ status, power }) => [status, power]),
    [
      [3, 5],
      [1, 0],
    ],
  );
  assert.deepEqual([balances.get(MODULES[0]), balances.get(MODULES[1])], [5_000_000n, 3_000_000n]);
  assert.equal(state.differences.size, 0);
});

test('a transaction of another kind is refused by its path', () => {
  const send = { '@type': '/cosmos.bank.v1beta1.MsgSend' };
  assert.throws(() => open([send], 1), /gen_txs\[\]\.body\.messages\[0\] is a \/cosmos\.bank\.v1beta1\.MsgSend/);
});
