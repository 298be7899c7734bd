/** The messages that an interchain-account packet carries: run on the Hub for an owner on another chain. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { InterchainAccountPacketData, Type } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { decodeWhole, fieldsOf, type ProtobufType } from './protobuf.js';

const HOST_PORT = 'icahost';

/** A type of message that a packet may carry in protobuf or in JSON. */
export interface MessageType<Value> extends ProtobufType<Value> {
  fromJSON(json: unknown): Value;
}

/** The messages of a type in a packet, those inside MsgExec too, in order. A packet that is none or does not decode has none. */
export function packetMessages<Value>({ packet }: MsgRecvPacket, wanted: MessageType<Value>): Value[] {
  if (packet?.destinationPort !== HOST_PORT) return [];
  try {
    const { type, data } = InterchainAccountPacketData.fromJSON(JSON.parse(new TextDecoder().decode(packet.data)));
    if (type !== Type.TYPE_EXECUTE_TX) return [];
    return isJson(data)
      ? inJson(JSON.parse(new TextDecoder().decode(data)), wanted)
      : inProtobuf(messagesAt(COSMOS_TX_MESSAGES, data), wanted);
  } catch {
    return []; // the chain acknowledged such a packet with an error
  }
}

/** A channel's encoding is proto3 or proto3json; protobuf of a CosmosTx begins with its field 1. */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

/** Field numbers of the messages in a CosmosTx (ibc-go's interchain accounts) and in a MsgExec (x/authz). */
const [COSMOS_TX_MESSAGES, EXEC_MESSAGES] = [1, 2];

/** The messages of a field, each read by itself: unlike those of a transaction, fields that a type does not have are no fault in them. */
const messagesAt = (field: number, bytes: Uint8Array): Any[] =>
  [...fieldsOf(bytes)].filter(({ number }) => number === field).map(({ content }) => decodeWhole(Any, content));

function inProtobuf<Value>(messages: readonly Any[], wanted: MessageType<Value>): Value[] {
  return messages.flatMap(({ typeUrl, value }) => {
    if (typeUrl === wanted.typeUrl) return [decodeWhole(wanted, value)];
    return typeUrl === MsgExec.typeUrl ? inProtobuf(messagesAt(EXEC_MESSAGES, value), wanted) : [];
  });
}

/** protobuf's JSON as the SDK writes it: snake_case members, messages with @type. */
interface JsonMessage {
  readonly '@type'?: string;
  readonly messages?: readonly JsonMessage[];
  readonly msgs?: readonly JsonMessage[];
}

function inJson<Value>(message: JsonMessage, wanted: MessageType<Value>): Value[] {
  if (message['@type'] === wanted.typeUrl) return [wanted.fromJSON(inCamelCase(message))];
  return (message.messages ?? message.msgs ?? []).flatMap((inner) => inJson(inner, wanted));
}

/** Renames members. One that stands there in both spellings counts in camelCase, as for the chain (gogoproto jsonpb). */
const inCamelCase = (message: object) => {
  const renamed = Object.entries(message).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, one) => one.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(renamed), ...message };
};
