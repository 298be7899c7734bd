/** Protobuf's law of merging, which the chain keeps: messages encoded one behind the other are one message, all parts of it together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/gov/v1/tx';
import {
  MsgCreateValidator,
  MsgDelegate,
  MsgUndelegate,
  MsgUpdateParams,
} from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { CosmosTx } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import { Packet } from 'cosmjs-types/ibc/core/channel/v1/channel';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import fc from 'fast-check';
import { decodeMessage, MODULES } from '../../pipeline/chain/messages.js';
import { decodeWhole, fieldsOf, type ProtobufType, packetMessages } from '../../pipeline/chain/protobuf.js';
import { TransactionMessages } from '../../pipeline/holdings/rules/messages.js';
import { account, event, message, operator } from '../holdings/small-chain.js';

const anyText = fc.constantFrom('', 'a', 'bc', 'uatom');
const anyBytes = fc.uint8Array({ maxLength: 3 });
const anyCoin = fc.record({ denom: anyText, amount: anyText });
const anyMessage = fc.record({ typeUrl: anyText, value: anyBytes });
const anyHeight = fc.record({ revisionNumber: fc.bigInt(0n, 9n), revisionHeight: fc.bigInt(0n, 9n) });
const anyPacket = fc.record({
  sourcePort: anyText,
  destinationPort: anyText,
  data: anyBytes,
  timeoutHeight: anyHeight,
  timeoutTimestamp: fc.bigInt(0n, 9n),
});
const anyParams = fc.record({
  unbondingTime: fc.record({ seconds: fc.bigInt(0n, 9n), nanos: fc.nat(9) }),
  maxValidators: fc.nat(9),
  bondDenom: anyText,
});

/** Two messages of one type. */
interface Pair<Value> {
  readonly type: ProtobufType<Value>;
  readonly one: Value;
  readonly other: Value;
}

function pairsOf<Value>(type: ProtobufType<Value>, members: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const anyValue = fc.record(members, { requiredKeys: [] }).map((some) => type.fromPartial(some));
  return fc.record({ type: fc.constant(type), one: anyValue, other: anyValue }) as fc.Arbitrary<Pair<unknown>>;
}

const anyPair = fc.oneof(
  pairsOf(MsgUndelegate, { delegatorAddress: anyText, validatorAddress: anyText, amount: anyCoin }),
  pairsOf(MsgRecvPacket, { packet: anyPacket, proofHeight: anyHeight, signer: anyText }),
  pairsOf(MsgUpdateParams, { authority: anyText, params: anyParams }),
  pairsOf(MsgExec, { grantee: anyText, msgs: fc.array(anyMessage, { maxLength: 2 }) }),
  pairsOf(MsgSubmitProposal, { messages: fc.array(anyMessage, { maxLength: 2 }), initialDeposit: fc.array(anyCoin) }),
  pairsOf(MsgCreateValidator, {
    description: fc.record({ moniker: anyText, identity: anyText }),
    commission: fc.record({ rate: fc.constantFrom('', '0.100000000000000000') }),
    minSelfDelegation: anyText,
    pubkey: anyMessage,
    value: anyCoin,
  }),
);

/** Members that are not set are not written, so that earlier ones stay. */
const isUnset = (value: unknown) => value === undefined || value === '' || value === 0 || value === 0n;

function merged(one: unknown, other: unknown): unknown {
  if (Array.isArray(one)) return [...one, ...(other as unknown[])];
  if (one instanceof Uint8Array) return (other as Uint8Array).length === 0 ? one : other;
  if (isUnset(other)) return one;
  if (isUnset(one) || typeof one !== 'object') return other;
  const members = other as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(one!).map(([name, value]) => [name, merged(value, members[name])]));
}

const encoded = ({ type, one }: Pair<unknown>) => type.encode(one).finish();

test('of messages one behind the other an embedded one is all its parts, a scalar the last, a list all', () => {
  fc.assert(
    fc.property(anyPair, ({ type, one, other }) => {
      const bytes = Buffer.concat([type.encode(one).finish(), type.encode(other).finish()]);
      assert.deepEqual(decodeWhole(type, bytes), merged(one, other));
    }),
    { seed: 20_260_101, numRuns: 2000 },
  );
});

test('the fields of a message may come in any order', () => {
  fc.assert(
    fc.property(anyPair, (pair) => {
      const fields = [...fieldsOf(encoded(pair))].map(({ whole }) => whole);
      const lists = Object.values(pair.one as object).some((value) => Array.isArray(value));
      const bytes = Buffer.concat(lists ? fields : fields.reverse());
      assert.deepEqual(decodeWhole(pair.type, bytes), pair.one);
    }),
    { seed: 20_260_101, numRuns: 500 },
  );
});

test('a message that stands once in every part is decoded from its own bytes, whatever its type', () => {
  for (const type of MODULES.flatMap((module) => Object.values(module))) {
    if (typeof type !== 'object' || type === null || !('fromPartial' in type)) continue;
    const known = type as ProtobufType<unknown>;
    const bytes = known.encode(known.fromPartial({})).finish();
    assert.deepEqual(decodeWhole(known, bytes), known.decode(bytes), known.typeUrl);
  }
});

/** A tag's varint with bytes of nothing behind it. */
const padded = (tag: number) => [tag | 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00];

test('a number may be written in more bytes than it needs, and fields beyond 29 bits are passed over', () => {
  const amount = new BinaryWriter().uint32(18).string('7').finish();
  const other = new BinaryWriter().uint32(18).string('8').finish();
  const field = (tag: readonly number[], content: Uint8Array) => [...tag, content.length, ...content];
  const beyond = [0x9a, 0x80, 0x80, 0x80, 0x10]; // 2^32 + the tag of the amount
  const bytes = Uint8Array.from([...field(padded(26), amount), ...field(beyond, other)]);
  assert.deepEqual(
    [...fieldsOf(bytes)].map(({ number }) => number),
    [3, 2 ** 29 + 3],
  );
  assert.equal(decodeWhole(MsgUndelegate, bytes).amount.amount, '7');
});

test('bytes that are no message throw', () => {
  for (const bytes of [[26, 9, 1], [26], [0xff, 0xff, 0xff], [26, 2, 18, 200]]) {
    assert.throws(() => decodeWhole(MsgUndelegate, Uint8Array.from(bytes)));
  }
});

/** Undelegations that come in a packet from another chain. */

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
    messages.requestedAmount(event('unbond', { amount: `${paid}uatom`, msg_index: '0' }), account(1), validator);
  assert.equal(ask(operator(2), 10), undefined);
  assert.equal(ask(operator(1), 8), undefined, 'none of them can have paid so much');
  assert.deepEqual([ask(operator(1), 10), ask(operator(1), 29), ask(operator(1), 20)], [10n, 30n, 20n]);
  assert.equal(ask(operator(1), 10), undefined);
});

test('an event of what the packet runs by MsgExec takes its undelegation, too', () => {
  const messages = new TransactionMessages([message(MsgRecvPacket.typeUrl, packet(transaction))]);
  const unbond = event('unbond', { amount: '10uatom', authz_msg_index: '0', msg_index: '0' });
  assert.equal(messages.requestedAmount(unbond, account(1), operator(1)), 10n);
});
