/**
 * Decodes protobuf in the same way as the chain. If an embedded message occurs several times, its parts are merged. The
 * generated decoders keep only the last part, so a signer could hide content by splitting a message. Also decodes
 * messages in IBC packets, which the Hub executes for the owner of an interchain account.
 */
import { BinaryReader, BinaryWriter } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { InterchainAccountPacketData, Type } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';

export interface ProtobufType<Value> {
  readonly typeUrl: string;
  encode(value: Value): BinaryWriter;
  decode(bytes: Uint8Array): Value;
  fromPartial(members: object): Value;
}

export const decodeWhole = <Value>(type: ProtobufType<Value>, bytes: Uint8Array): Value =>
  type.decode(joinParts(bytes, embeddedIn(type)));

interface Field {
  readonly number: number;
  readonly wireType: number;
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

const LENGTH_DELIMITED = 2;

export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const number = reader.pos - start > BYTES_OF_28_BITS ? longNumber(bytes.subarray(start)) : tag >>> 3;
    const wireType = tag & 7;
    const content = wireType === LENGTH_DELIMITED ? reader.bytes() : NOTHING;
    if (content === NOTHING) reader.skipType(wireType);
    yield { number, wireType, whole: bytes.subarray(start, reader.pos), content };
  }
}

const NOTHING = new Uint8Array();

const BYTES_OF_28_BITS = 4;

/** Returns the field number of a tag of more than 32 bits. Like gogoproto, ignores the upper bits. */
const longNumber = (bytes: Uint8Array) => Number(BigInt.asIntN(32, new BinaryReader(bytes).uint64() >> 3n));

type Embedded = ReadonlyMap<number, Embedded>;

const known = new Map<string, Embedded>();

function embeddedIn<Value>(type: ProtobufType<Value>): Embedded {
  const embedded = known.get(type.typeUrl) ?? readEmbedded(emptyMessage(type));
  known.set(type.typeUrl, embedded);
  return embedded;
}

/**
 * Encodes a message whose embedded messages are all present and empty. The result shows which fields contain messages.
 */
function emptyMessage<Value>({ encode, fromPartial }: ProtobufType<Value>): Uint8Array {
  const missing = Object.entries(fromPartial({}) as object).filter(([, value]) => value === undefined);
  return encode(fromPartial(Object.fromEntries(missing.map(([name]) => [name, {}])))).finish();
}

const readEmbedded = (bytes: Uint8Array): Embedded =>
  new Map([...fieldsOf(bytes)].map(({ number, content }) => [number, readEmbedded(content)]));

/** Fields with this number or a higher one are removed, because the decoder would confuse them with other fields. */
const NUMBERS = 2 ** 29;

/** Merges the parts of each embedded message. Returns the same array if nothing changes. */
function joinParts(bytes: Uint8Array, embedded: Embedded): Uint8Array {
  if (embedded.size === 0) return bytes;
  const parts = new Map<number, Uint8Array[]>();
  const others: Uint8Array[] = [];
  let isSame = true;
  for (const { number, wireType, whole, content } of fieldsOf(bytes)) {
    if (number >= NUMBERS || number < 0) isSame = false;
    else if (!embedded.has(number) || wireType !== LENGTH_DELIMITED) others.push(whole);
    else if (!parts.get(number)?.push(content)) parts.set(number, [content]);
  }
  const joined = [...parts].map(([number, all]) => {
    const [first] = all as [Uint8Array];
    const content = joinParts(all.length === 1 ? first : Buffer.concat(all), embedded.get(number)!);
    isSame &&= content === first;
    return new BinaryWriter().tag(number, LENGTH_DELIMITED).bytes(content).finish();
  });
  return isSame ? bytes : Buffer.concat([...others, ...joined]);
}

const HOST_PORT = 'icahost';

export interface MessageType<Value> extends ProtobufType<Value> {
  fromJSON(json: unknown): Value;
}

export function packetMessages<Value>({ packet }: MsgRecvPacket, wanted: MessageType<Value>): Value[] {
  if (packet?.destinationPort !== HOST_PORT) return [];
  try {
    const { type, data } = InterchainAccountPacketData.fromJSON(JSON.parse(new TextDecoder().decode(packet.data)));
    if (type !== Type.TYPE_EXECUTE_TX) return [];
    return isJson(data)
      ? inJson(JSON.parse(new TextDecoder().decode(data)), wanted)
      : inProtobuf(messagesAt(COSMOS_TX_MESSAGES, data), wanted);
  } catch {
    return [];
  }
}

/**
 * Returns true if a packet's data is JSON. Otherwise it is protobuf, whose first byte is the tag of field 1 of CosmosTx
 * and never
 * `{`.
 */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

/** Number of the field with messages in CosmosTx (ibc-go interchain accounts) and in MsgExec (x/authz). */
const [COSMOS_TX_MESSAGES, EXEC_MESSAGES] = [1, 2];

/** Decodes each message separately, because packets may contain unknown fields. */
const messagesAt = (field: number, bytes: Uint8Array): Any[] =>
  [...fieldsOf(bytes)].filter(({ number }) => number === field).map(({ content }) => decodeWhole(Any, content));

function inProtobuf<Value>(messages: readonly Any[], wanted: MessageType<Value>): Value[] {
  return messages.flatMap(({ typeUrl, value }) => {
    if (typeUrl === wanted.typeUrl) return [decodeWhole(wanted, value)];
    return typeUrl === MsgExec.typeUrl ? inProtobuf(messagesAt(EXEC_MESSAGES, value), wanted) : [];
  });
}

interface JsonMessage {
  readonly '@type'?: string;
  readonly messages?: readonly JsonMessage[];
  readonly msgs?: readonly JsonMessage[];
}

function inJson<Value>(message: JsonMessage, wanted: MessageType<Value>): Value[] {
  if (message['@type'] === wanted.typeUrl) return [wanted.fromJSON(inCamelCase(message))];
  return (message.messages ?? message.msgs ?? []).flatMap((inner) => inJson(inner, wanted));
}

/** If an object has both spellings of a member, camelCase is used, as in gogoproto jsonpb. */
const inCamelCase = (message: object) => {
  const renamed = Object.entries(message).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, one) => one.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(renamed), ...message };
};
