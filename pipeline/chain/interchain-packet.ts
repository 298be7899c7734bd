/** The messages that an interchain-account packet carries: run on the Hub for an owner on another chain. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import {
  CosmosTx,
  InterchainAccountPacketData,
  Type,
} from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';

const HOST_PORT = 'icahost';

/** A type of message, as cosmjs-types has it. */
export interface MessageType<Value> {
  readonly typeUrl: string;
  decode(bytes: Uint8Array): Value;
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
      : inProtobuf(CosmosTx.decode(data).messages, wanted);
  } catch {
    return []; // the chain acknowledged such a packet with an error
  }
}

/** A channel's encoding is proto3 or proto3json; protobuf of a CosmosTx begins with its field 1. */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

function inProtobuf<Value>(messages: readonly Any[], wanted: MessageType<Value>): Value[] {
  return messages.flatMap(({ typeUrl, value }) => {
    if (typeUrl === wanted.typeUrl) return [wanted.decode(value)];
    return typeUrl === MsgExec.typeUrl ? inProtobuf(MsgExec.decode(value).msgs, wanted) : [];
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

const inCamelCase = (message: object) =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name.replace(/_([a-z])/g, (_, one) => one.toUpperCase()), value]),
  );
