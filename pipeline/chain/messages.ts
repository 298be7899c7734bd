/** Decodes transactions and their messages (protobuf). */
import { BinaryReader } from 'cosmjs-types/binary';
import * as auth from 'cosmjs-types/cosmos/auth/v1beta1/tx';
import * as authz from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import * as bank from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import * as consensus from 'cosmjs-types/cosmos/consensus/v1/tx';
import * as crisis from 'cosmjs-types/cosmos/crisis/v1beta1/tx';
import * as distribution from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import * as evidence from 'cosmjs-types/cosmos/evidence/v1beta1/tx';
import * as feegrant from 'cosmjs-types/cosmos/feegrant/v1beta1/tx';
import * as govV1 from 'cosmjs-types/cosmos/gov/v1/tx';
import * as govV1beta1 from 'cosmjs-types/cosmos/gov/v1beta1/tx';
import * as mint from 'cosmjs-types/cosmos/mint/v1beta1/tx';
import * as slashing from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import * as staking from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import * as upgrade from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import * as vesting from 'cosmjs-types/cosmos/vesting/v1beta1/tx';
import * as wasm from 'cosmjs-types/cosmwasm/wasm/v1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import * as icaController from 'cosmjs-types/ibc/applications/interchain_accounts/controller/v1/tx';
import * as icaHost from 'cosmjs-types/ibc/applications/interchain_accounts/host/v1/tx';
import * as ibcTransfer from 'cosmjs-types/ibc/applications/transfer/v1/tx';
import * as ibcChannel from 'cosmjs-types/ibc/core/channel/v1/tx';
import * as ibcChannelV2 from 'cosmjs-types/ibc/core/channel/v2/tx';
import * as ibcClient from 'cosmjs-types/ibc/core/client/v1/tx';
import * as ibcClientV2 from 'cosmjs-types/ibc/core/client/v2/tx';
import * as ibcConnection from 'cosmjs-types/ibc/core/connection/v1/tx';
import * as ibcWasmClient from 'cosmjs-types/ibc/lightclients/wasm/v1/tx';
import type { Message } from './block.js';
import { decodeWhole, type ProtobufType } from './protobuf.js';

export const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  auth,
  authz,
  bank,
  consensus,
  crisis,
  distribution,
  evidence,
  feegrant,
  govV1,
  govV1beta1,
  mint,
  slashing,
  staking,
  upgrade,
  vesting,
  wasm,
  icaController,
  icaHost,
  ibcTransfer,
  ibcChannel,
  ibcChannelV2,
  ibcClient,
  ibcClientV2,
  ibcConnection,
  ibcWasmClient,
];

/**
 * Message types that exist only on the Hub, with name and field number of the acting account. Their other fields are
 * not needed, because events contain the rest. Source: cosmos/gaia proto/osmosis/tokenfactory, proto/gaia/liquid.
 */
const ACTORS = {
  '/osmosis.tokenfactory.v1beta1.MsgCreateDenom': ['sender', 1],
  '/osmosis.tokenfactory.v1beta1.MsgMint': ['sender', 1],
  '/osmosis.tokenfactory.v1beta1.MsgBurn': ['sender', 1],
  '/osmosis.tokenfactory.v1beta1.MsgChangeAdmin': ['sender', 1],
  '/osmosis.tokenfactory.v1beta1.MsgSetDenomMetadata': ['sender', 1],
  '/gaia.liquid.v1beta1.MsgTokenizeShares': ['delegatorAddress', 1],
  '/gaia.liquid.v1beta1.MsgRedeemTokensForShares': ['delegatorAddress', 1],
  '/gaia.liquid.v1beta1.MsgTransferTokenizeShareRecord': ['sender', 2],
} as const;

const hubMessageTypes = Object.entries(ACTORS).map(([typeUrl, [name, field]]) => ({
  typeUrl,
  decode: (bytes: Uint8Array): unknown => ({ [name]: readText(bytes, field) }),
}));

/** Returns '' if the field is missing. If it repeats, the last value counts. */
function readText(bytes: Uint8Array, field: number): string {
  const reader = new BinaryReader(bytes);
  let text = '';
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field) text = reader.string();
    else reader.skipType(wireType);
  }
  return text;
}

interface MessageType {
  readonly typeUrl: string;
  decode(bytes: Uint8Array): unknown;
}

function isMessageType(value: unknown): value is ProtobufType<unknown> {
  return typeof value === 'object' && value !== null && 'typeUrl' in value && 'decode' in value;
}

export const messageTypes: ReadonlyMap<string, MessageType> = new Map(
  [
    ...MODULES.flatMap((module) => Object.values(module))
      .filter(isMessageType)
      .filter((type) => /\.Msg[A-Za-z0-9]+$/.test(type.typeUrl) && !type.typeUrl.endsWith('Response'))
      .map((type) => ({ ...type, decode: (bytes: Uint8Array) => decodeWhole(type, bytes) })),
    ...hubMessageTypes,
  ].map((type) => [type.typeUrl, type]),
);

export type ReadMessage = (message: Any, depth?: number) => Message;

/**
 * Maximum depth of nested MsgExec to decode. The chain accepts ten levels (SDK codec/types/interface_registry.go). A
 * failed transaction may have thousands, which would overflow the stack.
 */
const DEPTH_MAX = 100;

/** Decodes a message. If its bytes cannot be decoded, `fault` contains the reason. */
export function decodeMessage({ typeUrl, value: bytes }: Any, depth = 0): Message {
  if (typeUrl === MsgExec.typeUrl) return readExec(bytes, decodeMessage, depth);
  return { typeUrl, bytes, inner: [], ...decodeValue(typeUrl, bytes) };
}

export function outlineMessage({ typeUrl, value: bytes }: Any, depth = 0): Message {
  if (typeUrl === MsgExec.typeUrl) return readExec(bytes, outlineMessage, depth);
  let decoded: Decoded | undefined;
  const decode = () => {
    decoded ??= decodeValue(typeUrl, bytes);
    return decoded;
  };
  return {
    typeUrl,
    bytes,
    inner: [],
    get value() {
      return decode().value;
    },
    get fault() {
      return decode().fault;
    },
  };
}

type Decoded = Pick<Message, 'value' | 'fault'>;

function decodeValue(typeUrl: string, bytes: Uint8Array): Decoded {
  try {
    return { value: messageTypes.get(typeUrl)?.decode(bytes), fault: undefined };
  } catch (error) {
    return { value: undefined, fault: (error as Error).message };
  }
}

function readExec(bytes: Uint8Array, readMessage: ReadMessage, depth: number): Message {
  const { value, fault }: Decoded =
    depth < DEPTH_MAX
      ? decodeValue(MsgExec.typeUrl, bytes)
      : { value: undefined, fault: `it is nested in more than ${DEPTH_MAX} messages` };
  const inner = value === undefined ? [] : (value as MsgExec).msgs.map((message) => readMessage(message, depth + 1));
  return { typeUrl: MsgExec.typeUrl, value, fault, bytes, inner };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes the messages and the memo of a transaction. Reads TxBody by field number (1: messages, 2: memo). The chain
 * accepts any bytes as memo, but the generated decoder accepts only UTF-8.
 * @throws Error if the bytes are not a transaction
 */
export function decodeTransaction(
  bytes: Uint8Array,
  readMessage: ReadMessage = decodeMessage,
): { memo: string; messages: Message[] } {
  const body = new BinaryReader(TxRaw.decode(bytes).bodyBytes);
  const messages: Message[] = [];
  let memo = '';
  while (body.pos < body.len) {
    const tag = body.uint32();
    if (tag === 10) messages.push(readMessage(Any.decode(body, body.uint32())));
    else if (tag === 18) memo = utf8.decode(body.bytes());
    else body.skipType(tag & 7);
  }
  return { memo, messages };
}
