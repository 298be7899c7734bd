/** A fee says what it was paid for where no other row of its payer does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../pipeline/chain/block.js';
import type { RowDraft } from '../../pipeline/classify/classifier.js';
import { describeLoneFees } from '../../pipeline/classify/lone-fees.js';

const message = (typeUrl: string) => ({ typeUrl }) as Message;
const fee = (address: string, more: Partial<RowDraft> = {}): RowDraft => ({
  address,
  category: 'fee',
  event: 0,
  ...more,
});
const detailsOf = (rows: readonly RowDraft[], types: readonly string[]) =>
  describeLoneFees(rows, types.map(message)).map(({ detail }) => detail);

test('a lone fee names each message type once, and counts those beyond three', () => {
  const votes = ['/cosmos.gov.v1.MsgVote', '/cosmos.gov.v1.MsgVote'];
  assert.deepEqual(detailsOf([fee('a')], votes), ['For cosmos.gov.v1.MsgVote']);
  const many = ['/a.A', '/b.B', '/c.C', '/d.D', '/e.E'];
  assert.deepEqual(detailsOf([fee('a')], many), ['For a.A, b.B, c.C and 2 more']);
  const failed = fee('a', { category: 'fee_failed', detail: 'Failed transaction' });
  assert.deepEqual(detailsOf([failed], ['/a.A']), ['Failed transaction; For a.A']);
});

test('a fee beside another row of its payer stays as it is, and rows of others make no difference', () => {
  const sent: RowDraft = { address: 'a', category: 'transfer_out', event: 1, detail: 'D' };
  assert.deepEqual(detailsOf([fee('a'), sent], ['/a.A']), [undefined, 'D']);
  assert.deepEqual(detailsOf([fee('granter'), sent], ['/a.A']), ['For a.A', 'D']);
  assert.deepEqual(detailsOf([fee('a')], []), [undefined]);
});
