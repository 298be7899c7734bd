/** Undelegations that come in a packet from another chain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgDelegate, MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { CosmosTx } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import { Packet } from 'cosmjs-types/ibc/core/channel/v1/channel';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { packetMessages } from '../../pipeline/chain/interchain-packet.js';
import { fieldsOf } from '../../pipeline/chain/protobuf.js';
import { decodeMessage } from '../../pipeline/chain/read-blocks.js';
import { TransactionMessages } from '../../pipeline/holdings/rules/messages.js';
import { account, event, message, operator } from '../holdings/small-chain.js';

const undelegate = (amount: string) =>
  MsgUndelegate.fromPartial({
    delegatorAddress: account(1),
    validatorAddress: operator(1),
    amount: { denom: 'uatom', amount },
  });
const any = (amount: string) => ({
  typeUrl: MsgUndelegate.typeUrl,
  value: MsgUndelegate.encode(undelegate(amount)).finish(),
});

function packet(
  data: Uint8Array,
  destinationPort = 'icahost',
  type: string | number = 'TYPE_EXECUTE_TX',
): MsgRecvPacket {
  const json = JSON.stringify({ type, data: Buffer.from(data).toString('base64'), memo: '' });
  return MsgRecvPacket.fromPartial({ packet: { destinationPort, data: new TextEncoder().encode(json) } });
}

const inner = MsgExec.encode(MsgExec.fromPartial({ grantee: account(2), msgs: [any('30')] })).finish();
const delegate = { typeUrl: MsgDelegate.typeUrl, value: MsgDelegate.encode(MsgDelegate.fromPartial({})).finish() };
const transaction = CosmosTx.encode({
  messages: [any('10'), delegate, { typeUrl: MsgExec.typeUrl, value: inner }, any('20')],
}).finish();

test('the messages of a packet are read in order, those inside MsgExec too', () => {
  const amounts = packetMessages(packet(transaction), MsgUndelegate).map(({ amount }) => amount.amount);
  assert.deepEqual(amounts, ['10', '30', '20']);
});

test('a channel may encode them as JSON', () => {
  const undelegation = {
    '@type': MsgUndelegate.typeUrl,
    delegator_address: account(1),
    validator_address: operator(1),
    amount: { denom: 'uatom', amount: '15' },
  };
  const exec = { '@type': MsgExec.typeUrl, grantee: account(2), msgs: [undelegation] };
  const data = new TextEncoder().encode(JSON.stringify({ messages: [exec] }));
  assert.deepEqual(packetMessages(packet(data), MsgUndelegate), [undelegate('15')]);
});

test('of a member in both spellings the one in camelCase counts', () => {
  const undelegation = {
    '@type': MsgUndelegate.typeUrl,
    delegatorAddress: account(1),
    delegator_address: account(2),
    validator_address: operator(1),
    amount: { denom: 'uatom', amount: '15' },
  };
  const data = new TextEncoder().encode(JSON.stringify({ messages: [undelegation] }));
  assert.deepEqual(packetMessages(packet(data), MsgUndelegate), [undelegate('15')]);
});

/** A field of length-delimited content. */
const field = (number: number, content: Uint8Array) => new BinaryWriter().tag(number, 2).bytes(content).finish();

test('a relayer may cut the packet into several fields, an account its messages', () => {
  const bytes = [...fieldsOf(Packet.encode(packet(transaction).packet).finish())].map(({ whole }) => field(1, whole));
  const relayed = decodeMessage({ typeUrl: MsgRecvPacket.typeUrl, value: Buffer.concat(bytes) });
  assert.ok(bytes.length > 2);
  assert.equal(packetMessages(relayed.value as MsgRecvPacket, MsgUndelegate).length, 3);

  const cut = [...fieldsOf(any('40').value)].flatMap(({ number, whole, content }) =>
    number === 3 ? [...fieldsOf(content)].map((part) => field(3, part.whole)) : [whole],
  );
  const message = Any.encode({ typeUrl: MsgUndelegate.typeUrl, value: Buffer.concat(cut) }).finish();
  assert.deepEqual(packetMessages(packet(field(1, message)), MsgUndelegate), [undelegate('40')]);
});

test('other packets have none', () => {
  assert.deepEqual(packetMessages(packet(transaction, 'transfer'), MsgUndelegate), []);
  assert.deepEqual(packetMessages(packet(transaction, 'icahost', 'TYPE_UNSPECIFIED'), MsgUndelegate), []);
  assert.deepEqual(packetMessages(packet(new Uint8Array([255, 255])), MsgUndelegate), []);
});

test('each event of a packet takes the next undelegation of its pair', () => {
  const messages = new TransactionMessages([message(MsgRecvPacket.typeUrl, packet(transaction))]);
  const ask = (validator: string, paid: number) =>
    messages.askedAmount(event('unbond', { amount: `${paid}uatom`, msg_index: '0' }), account(1), validator);
  assert.equal(ask(operator(2), 10), undefined);
  assert.equal(ask(operator(1), 8), undefined, 'none of them can have paid so much');
  assert.deepEqual([ask(operator(1), 10), ask(operator(1), 29), ask(operator(1), 20)], [10n, 30n, 20n]);
  assert.equal(ask(operator(1), 10), undefined);
});

test('an event of what the packet runs by MsgExec takes its undelegation, too', () => {
  const messages = new TransactionMessages([message(MsgRecvPacket.typeUrl, packet(transaction))]);
  const unbond = event('unbond', { amount: '10uatom', authz_msg_index: '0', msg_index: '0' });
  assert.equal(messages.askedAmount(unbond, account(1), operator(1)), 10n);
});
