/** The messages that an interchain-account packet carries: run on the Hub for an owner on another chain. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgUndelegate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import {
  CosmosTx,
  InterchainAccountPacketData,
  Type,
} from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import type { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';

const HOST_PORT = 'icahost';

/** The undelegations in a packet, those inside MsgExec too, in order. A packet that is none or does not decode has none. */
export function packetUndelegations({ packet }: MsgRecvPacket): MsgUndelegate[] {
  if (packet.destinationPort !== HOST_PORT) return [];
  try {
    const { type, data } = InterchainAccountPacketData.fromJSON(JSON.parse(new TextDecoder().decode(packet.data)));
    if (type !== Type.TYPE_EXECUTE_TX) return [];
    return isJson(data)
      ? jsonUndelegations(JSON.parse(new TextDecoder().decode(data)))
      : undelegations(CosmosTx.decode(data).messages);
  } catch {
    return []; // the chain acknowledged such a packet with an error
  }
}

/** A channel's encoding is proto3 or proto3json; protobuf of a CosmosTx begins with its field 1. */
const isJson = (data: Uint8Array) => data[0] === '{'.charCodeAt(0);

function undelegations(messages: readonly Any[]): MsgUndelegate[] {
  return messages.flatMap(({ typeUrl, value }) => {
    if (typeUrl === MsgUndelegate.typeUrl) return [MsgUndelegate.decode(value)];
    return typeUrl === MsgExec.typeUrl ? undelegations(MsgExec.decode(value).msgs) : [];
  });
}

/** protobuf's JSON as the SDK writes it: snake_case members, messages with @type. */
interface JsonMessage {
  '@type'?: string;
  messages?: JsonMessage[];
  msgs?: JsonMessage[];
  delegator_address?: string;
  validator_address?: string;
  amount?: unknown;
}

function jsonUndelegations(message: JsonMessage): MsgUndelegate[] {
  if (message['@type'] === MsgUndelegate.typeUrl) {
    const { delegator_address: delegatorAddress, validator_address: validatorAddress, amount } = message;
    return [MsgUndelegate.fromJSON({ delegatorAddress, validatorAddress, amount })];
  }
  return (message.messages ?? message.msgs ?? []).flatMap(jsonUndelegations);
}
