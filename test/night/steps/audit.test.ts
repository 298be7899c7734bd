/** Blocks that failed audits point at: by a height, by the id of a row, by an account and by the close of a day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suspectHeights } from '../../../pipeline/night/steps/audit.js';
import type { CoinMovement } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';

const movement = (height: number, address: string): CoinMovement => ({
  height,
  address,
  denom: 'uatom',
  place: 0,
  tx_hash: 'AB',
  amount: 1n,
});

test('heights of rows come first, those of accounts and days after them, the latest first', async (context) => {
  const database = await openDatabase();
  context.after(() => database.close());
  await database.create('coin_movements');
  await database.append('coin_movements', [
    movement(3, 'alice'),
    movement(5, 'alice'),
    movement(5, 'alice'),
    movement(7, 'pool'),
    movement(9, 'pool'),
    movement(11, 'bob'),
  ]);
  const heights = (differences: readonly Record<string, unknown>[]) =>
    suspectHeights(database, [{ audit: 'any', claim: '', differences }], [], { pools: ['pool'] });
  assert.deepEqual(await heights([{ height: 4, address: 'nobody' }, { id: '12-0-1-0-out' }]), [[4, 12], []]);
  assert.deepEqual(await heights([{ address: 'alice', month: '2026-01' }]), [[], [5, 3]]);
  assert.deepEqual(await heights([{ close_height: 10 }, { close_height: 8 }]), [[], [7]]);
  assert.deepEqual(await heights([{ denom: 'uatom', price: '1' }]), [[]]);
  const oversized = [{ height: 6, tx_hash: 'AB', denom: 'uatom' }];
  assert.deepEqual(await suspectHeights(database, [], oversized, { pools: [] }), [[6]]);
});
