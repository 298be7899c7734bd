/** Messages in interchain account packets, which the Hub executes for an owner on another chain. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { InterchainAccountPacketData, Type } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { decodeWhole, fieldsOf, type ProtobufType } from './protobuf.js';

const HOST_PORT = 'icahost';

export interface MessageType<Value> extends ProtobufType<Value> {
  fromJSON(json: unknown): Value;
}

/** Returns the packet's messages of one type in order, including those inside MsgExec. */
export function packetMessages<Value>({ packet }: MsgRecvPacket, wanted: MessageType<Value>): Value[] {
  if (packet?.destinationPort !== HOST_PORT) return [];
  try {
    const { type, data } = InterchainAccountPacketData.fromJSON(JSON.parse(new TextDecoder().decode(packet.data)));
    if (type !== Type.TYPE_EXECUTE_TX) return [];
    return isJson(data)
      ? inJson(JSON.parse(new TextDecoder().decode(data)), wanted)
      : inProtobuf(messagesAt(COSMOS_TX_MESSAGES, data), wanted);
  } catch {
    return []; // the chain acknowledged the packet with an error
  }
}

/** The channel's encoding is proto3 or proto3json. Protobuf of a CosmosTx begins with field 1. */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

/** Field numbers of messages in a CosmosTx (ibc-go interchain accounts) and a MsgExec (x/authz). */
const [COSMOS_TX_MESSAGES, EXEC_MESSAGES] = [1, 2];

/** Unlike transactions, packets may contain unknown fields, so each message is decoded on its own. */
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

/** Renames members. If both spellings occur, camelCase wins (gogoproto jsonpb). */
const inCamelCase = (message: object) => {
  const renamed = Object.entries(message).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, one) => one.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(renamed), ...message };
};
