import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedTransaction } from '../../../pipeline/classify/side-tables/indexed-transaction.js';
import { account, message, transaction } from '../events.js';

const send = message('/cosmos.bank.v1beta1.MsgSend');
const inner = message('/cosmos.authz.v1beta1.MsgExec', {}, [send]);
const exec = message('/cosmos.authz.v1beta1.MsgExec', {}, [send, inner]);

test('a transaction has its messages in order, and those within them apart', () => {
  const { message_types, inner_message_types } = indexedTransaction(7, transaction([exec, send], []), []);
  assert.deepEqual(message_types, [exec.typeUrl, send.typeUrl]);
  assert.deepEqual(inner_message_types, [send.typeUrl, inner.typeUrl, send.typeUrl]);
});

test('who paid the fee is the payer, and nobody where none was taken', () => {
  const fee = { denom: 'uatom', amount: 5n };
  const [payer, sender] = [account('granter'), account('sender')];
  const received = { address: sender, category: 'transfer_in', event: 0, detail: '' };
  const { fee_amount, fee_denom, ...row } = indexedTransaction(7, transaction([send], [], 5), [
    received,
    { ...received, address: payer, category: 'fee_failed', fee },
  ]);
  assert.deepEqual([row.payer, fee_amount, fee_denom, row.code, row.height], [payer, 5n, 'uatom', 5, 7]);
  const free = indexedTransaction(7, transaction([], []), [received]);
  assert.deepEqual([free.payer, free.fee_amount, free.fee_denom, free.message_types], [null, null, null, []]);
});
