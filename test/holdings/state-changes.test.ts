/** Corrections: changes of the state at the beginning of a block that no event tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { moduleAccount } from '../../pipeline/holdings/modules/addresses.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { BONDED, type HoldingsState, UNBONDING } from '../../pipeline/holdings/state.js';
import type { StateChange } from '../../schemas/types.generated.js';
import { ATOM, account, block, openSmallChain, operator, poolEvents, publicKey, validatorsOf } from './small-chain.js';

const open = () => openSmallChain(validatorsOf(5n, 3n));

/** Folds blocks 1 and 2, the second with a correction. @returns the rows of the second */
function correct(
  state: HoldingsState,
  what: StateChange[],
  second: Parameters<typeof block>[1] = {},
): { table: string; row: object }[] {
  const rows: { table: string; row: object }[] = [];
  const corrections = [{ height: 2, what, source: 'a node' }];
  foldBlock(state, block(1, {}), () => assert.fail('a row of the block before'), { corrections });
  foldBlock(state, block(2, second), (table, row) => rows.push({ table, row }), { corrections });
  return rows;
}

const validatorIn = (state: HoldingsState, number: number) => state.validators.get(operator(number))!;

test('a jailed validator leaves the set in that block, and one that is unjailed comes back', () => {
  const state = open();
  const leaves = { validatorUpdates: [{ publicKey: publicKey(2), power: 0 }], end: poolEvents(-3n * ATOM, 3n * ATOM) };
  correct(state, [{ kind: 'jail_validators', validators: [operator(2)] }], leaves);
  assert.deepEqual([validatorIn(state, 2).jailed, validatorIn(state, 2).status], [true, UNBONDING]);
  const corrections = [
    { height: 3, what: [{ kind: 'unjail_validators' as const, validators: [operator(2)] }], source: 'a node' },
  ];
  const comes = { validatorUpdates: [{ publicKey: publicKey(2), power: 3 }], end: poolEvents(3n * ATOM, -3n * ATOM) };
  foldBlock(state, block(3, comes), () => {}, { corrections });
  assert.deepEqual([validatorIn(state, 2).jailed, validatorIn(state, 2).status], [false, BONDED]);
});

test('a slashed validator has less tokens for the same shares, and its delegators get rows', () => {
  const state = open();
  const burned = (3n * ATOM) / 20n;
  const rows = correct(state, [{ kind: 'slash_validator', validator: operator(2), fraction: '0.05' }], {
    validatorUpdates: [{ publicKey: publicKey(2), power: 2 }],
    end: poolEvents(-burned, 0n),
  });
  assert.equal(validatorIn(state, 2).tokens, 3n * ATOM - burned);
  assert.deepEqual(
    rows.map(({ table }) => table),
    ['validator_slashes', 'slash_losses'],
  );
  const [, loss] = rows;
  const { delegator, delegated, reason } = loss!.row as { delegator: string; delegated: bigint; reason: string };
  assert.deepEqual([delegator, delegated, reason], [account(2), burned, 'correction']);
});

test("a pool's balance is changed with a row, and the sums of the block are compared with it", () => {
  const state = open();
  const pool = moduleAccount('bonded_tokens_pool', 'cosmos', sha256);
  const change: StateChange = { kind: 'adjust_balance', account: pool, denom: 'uatom', amount: '7' };
  const rows = correct(state, [change], { end: poolEvents(-7n, 0n) });
  assert.deepEqual(rows, [
    { table: 'balance_corrections', row: { address: pool, denom: 'uatom', height: 2, amount: 7n } },
  ]);
  assert.throws(() => correct(open(), [change]), /bonded pool: the chain says 8000007, the fold 8000000/);
});

test("a wallet's balance is a row alone", () => {
  const change: StateChange = { kind: 'adjust_balance', account: account(9), denom: 'uatom', amount: '-1' };
  const rows = correct(open(), [change]);
  assert.deepEqual(rows, [
    { table: 'balance_corrections', row: { address: account(9), denom: 'uatom', height: 2, amount: -1n } },
  ]);
});

test('what contradicts the state is a difference that names the block', () => {
  const jailed = (validators: string[]) => [{ kind: 'jail_validators' as const, validators }];
  assert.throws(() => correct(open(), jailed([operator(7)])), HoldingsError);
  const account = moduleAccount('distribution', 'cosmos', sha256);
  const overdraft: StateChange = { kind: 'adjust_balance', account, denom: 'gift', amount: '-5' };
  assert.throws(() => correct(open(), [overdraft]), /block 2, PreBlock: gift of cosmos.*at least 0, the fold -5/);
  const state = open();
  const begin: StateChange = { kind: 'begin_unbonding', validators: [operator(1)] };
  assert.throws(() => correct(state, [begin, begin]), /block 2, PreBlock: status of .*: the chain says bonded/);
});
