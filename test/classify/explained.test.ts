import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RowDraft } from '../../pipeline/classify/classifier.js';
import { assertExplained, liquidChanges } from '../../pipeline/classify/explained.js';
import { account, chain } from './events.js';

const alice = account('alice');
const coin = { denom: 'uatom', amount: 9n };
const share = { denom: 'cosmosvaloper1x/1', amount: 9n };
const row = (category: string, sides: Partial<RowDraft>): RowDraft => ({
  address: alice,
  event: 1,
  category,
  ...sides,
});
const moved = (address: string, amount: bigint) => new Map([[address, new Map([['uatom', amount]])]]);

test('only the share of tokenize and redeem is liquid, and nothing of what was slashed', () => {
  const rows = [
    row('tokenize_shares', { sent: coin, received: { ...share, amount: 20n } }),
    row('redeem_shares', { sent: share, received: coin }),
    row('slash', { sent: coin }),
    row('gov_deposit_burned', { sent: coin }),
    row('fee', { fee: { ...coin, amount: 2n } }),
  ];
  const changes = [
    [share.denom, 11n],
    ['uatom', -2n],
  ] as const;
  assert.deepEqual(liquidChanges(rows), new Map([[alice, new Map(changes)]]));
});

describe('assertExplained', () => {
  const check = (amount: bigint, ...rows: RowDraft[]) => assertExplained('7-0', moved(alice, amount), rows, chain);

  test('takes rows that are what the bank moved', () => {
    check(9n, row('transfer_in', { received: coin }));
    check(0n, row('undelegate', { sent: coin, received: coin }));
    assertExplained('7-0', moved(chain.module('gov'), 9n), [], chain);
  });

  test('refuses a missing row, a wrong amount and a row of nothing', () => {
    assert.throws(() => check(9n), /7-0: rows and bank events differ by 9 for cosmos1\w+ uatom/);
    assert.throws(() => check(8n, row('transfer_in', { received: coin })), /differ by -1/);
    assert.throws(
      () => assertExplained('7-0', new Map(), [row('transfer_in', { received: coin })], chain),
      /differ by -9/,
    );
  });
});
