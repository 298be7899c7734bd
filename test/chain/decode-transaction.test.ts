import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import {
  decodeMessage,
  decodeTransaction,
  outlineMessage,
  transactionHash,
} from '../../pipeline/chain/decode-transaction.js';
import { messageTypes } from '../../pipeline/chain/message-types.js';

const send = MsgSend.fromPartial({ fromAddress: 'a', toAddress: 'b', amount: [{ denom: 'uatom', amount: '7' }] });
const anySend = Any.fromPartial({ typeUrl: MsgSend.typeUrl, value: MsgSend.encode(send).finish() });
const unknown = Any.fromPartial({ typeUrl: '/new.module.v1.MsgSurprise', value: Uint8Array.of(255, 1) });
const exec = (...msgs: Any[]) =>
  Any.fromPartial({
    typeUrl: MsgExec.typeUrl,
    value: MsgExec.encode(MsgExec.fromPartial({ grantee: 'g', msgs })).finish(),
  });
const transaction = (bodyBytes: Uint8Array) => TxRaw.encode(TxRaw.fromPartial({ bodyBytes })).finish();
const body = (messages: Any[], memo = '') =>
  transaction(TxBody.encode(TxBody.fromPartial({ messages, memo, timeoutHeight: 9n })).finish());

test('messages inside authz are decoded at any depth, unknown ones keep their bytes', () => {
  const { messages, memo } = decodeTransaction(body([exec(anySend, exec(unknown, anySend)), anySend], 'hello'));
  assert.equal(memo, 'hello');
  const { typeUrl, value, fault, bytes, inner } = messages[1]!;
  assert.deepEqual([typeUrl, value, fault, bytes, inner], [MsgSend.typeUrl, send, undefined, anySend.value, []]);
  const [first, second] = messages[0]!.inner;
  assert.deepEqual(first!.value, send);
  assert.deepEqual(
    second!.inner.map(({ typeUrl, value, bytes }) => [typeUrl, value, bytes]),
    [
      [unknown.typeUrl, undefined, unknown.value],
      [MsgSend.typeUrl, send, anySend.value],
    ],
  );
});

test('of messages within one another the first hundred are opened: thousands are more than the stack holds', () => {
  let nested = anySend;
  for (let i = 0; i < 4000; i++) nested = exec(nested);
  for (const readMessage of [decodeMessage, outlineMessage]) {
    let [message] = decodeTransaction(body([nested]), readMessage).messages;
    let depth = 0;
    for (; message!.inner.length > 0; depth++) message = message!.inner[0];
    assert.deepEqual([depth, message!.value, message!.fault], [100, undefined, 'it stands within 100 others']);
    assert.ok(message!.bytes.length > 100_000, 'its bytes are kept');
  }
});

test('a memo may be any bytes: what is no UTF-8 is replaced, what looks like a byte order mark is kept', () => {
  const memoOf = (...bytes: number[]) =>
    decodeTransaction(transaction(new BinaryWriter().uint32(18).bytes(Uint8Array.from(bytes)).finish())).memo;
  assert.equal(memoOf(0x61, 0xff, 0xc3, 0x62), 'a\ufffd\ufffdb');
  assert.equal(memoOf(0xed, 0xa0, 0x80), '\ufffd\ufffd\ufffd');
  assert.equal(memoOf(0xef, 0xbb, 0xbf, 0x61), '\ufeffa');
  assert.equal(memoOf(0, 10, 0xf0, 0x9f, 0x9a, 0x80), '\u0000\n🚀');
});

test('what is no transaction throws', () => {
  const whole = body([anySend]);
  assert.throws(() => decodeTransaction(whole.subarray(0, whole.length - 3)));
  assert.throws(() => decodeTransaction(Uint8Array.of(255, 255, 255)));
});

test('a message that is not of its type keeps its bytes and says what is wrong with them', () => {
  const broken = Any.fromPartial({ typeUrl: MsgSend.typeUrl, value: Uint8Array.of(10, 200) });
  const [message] = decodeTransaction(body([broken])).messages;
  assert.deepEqual([message!.value, message!.bytes], [undefined, broken.value]);
  assert.match(message!.fault!, /./);
});

test('the hash is upper-case SHA-256', () => {
  assert.equal(transactionHash(Buffer.from('abc')), 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD');
});

test('every module that the chain runs is known by its type URLs, responses are not', () => {
  for (const url of [
    '/cosmos.bank.v1beta1.MsgMultiSend',
    '/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation',
    '/cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool',
    '/cosmos.gov.v1.MsgCancelProposal',
    '/cosmos.gov.v1beta1.MsgSubmitProposal',
    '/cosmos.authz.v1beta1.MsgRevoke',
    '/cosmos.feegrant.v1beta1.MsgPruneAllowances',
    '/cosmos.vesting.v1beta1.MsgCreatePeriodicVestingAccount',
    '/cosmos.slashing.v1beta1.MsgUnjail',
    '/cosmos.evidence.v1beta1.MsgSubmitEvidence',
    '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
    '/cosmos.crisis.v1beta1.MsgVerifyInvariant',
    '/ibc.core.client.v1.MsgUpdateClient',
    '/ibc.core.connection.v1.MsgConnectionOpenInit',
    '/ibc.core.channel.v1.MsgRecvPacket',
    '/ibc.core.channel.v2.MsgSendPacket',
    '/ibc.applications.transfer.v1.MsgTransfer',
    '/ibc.applications.interchain_accounts.controller.v1.MsgSendTx',
    '/cosmwasm.wasm.v1.MsgExecuteContract',
  ]) {
    assert.ok(messageTypes.has(url), url);
  }
  assert.deepEqual(
    [...messageTypes.keys()].filter((url) => url.endsWith('Response')),
    [],
  );
});
