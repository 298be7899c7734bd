/** Decodes messages that the Hub executes for an interchain account's owner on another chain. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { InterchainAccountPacketData, Type } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { decodeWhole, fieldsOf, type ProtobufType } from './protobuf.js';

const HOST_PORT = 'icahost';

export interface MessageType<Value> extends ProtobufType<Value> {
  fromJSON(json: unknown): Value;
}

/** Returns all messages of one type, also those inside MsgExec. */
export function packetMessages<Value>({ packet }: MsgRecvPacket, wanted: MessageType<Value>): Value[] {
  if (packet?.destinationPort !== HOST_PORT) return [];
  try {
    const { type, data } = InterchainAccountPacketData.fromJSON(JSON.parse(new TextDecoder().decode(packet.data)));
    if (type !== Type.TYPE_EXECUTE_TX) return [];
    return isJson(data)
      ? inJson(JSON.parse(new TextDecoder().decode(data)), wanted)
      : inProtobuf(messagesAt(COSMOS_TX_MESSAGES, data), wanted);
  } catch {
    return []; // the chain has rejected such a packet too
  }
}

/**
 * The channel's encoding is proto3 or proto3json. A CosmosTx in protobuf begins with the tag of field 1, which differs
 * from `{`.
 */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

/** Field that contains messages in CosmosTx (ibc-go interchain accounts) and MsgExec (x/authz). */
const [COSMOS_TX_MESSAGES, EXEC_MESSAGES] = [1, 2];

/** Decodes each message on its own, because packets, unlike transactions, may contain unknown fields. */
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
