/**
 * Decodes a transaction: raw bytes (cosmos.tx.v1beta1.TxRaw) → messages and memo. A message of an unknown type keeps its bytes, and so
 * does one that is not of the form known of its type: the chain's program may be newer than this one.
 */
import { hash } from 'node:crypto';
import { BinaryReader } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import type { Message } from './block.js';
import { messageTypes } from './message-types.js';

/** Upper-case hex SHA-256 of the raw bytes, as explorers show it. */
export function transactionHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').toUpperCase();
}

/** @param depth number of messages that it stands within */
export type ReadMessage = (message: Any, depth?: number) => Message;

/**
 * MsgExec within one another that are opened. The chain takes ten today (SDK codec/types/interface_registry.go); each is copied out of the
 * one around it, and thousands of them, as a block may have them in a transaction that failed, are more than the stack holds.
 */
const DEPTH_MAX = 100;

/** Decodes a message, and those inside it. Bytes that are not of their type are kept with the fault. */
export function decodeMessage({ typeUrl, value: bytes }: Any, depth = 0): Message {
  if (typeUrl === MsgExec.typeUrl) return readExec(bytes, decodeMessage, depth);
  return { typeUrl, bytes, inner: [], ...decodeValue(typeUrl, bytes) };
}

/** Works like decodeMessage, but reads a value only when it is asked for. */
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
      : { value: undefined, fault: `it stands within ${DEPTH_MAX} others` };
  const inner = value === undefined ? [] : (value as MsgExec).msgs.map((message) => readMessage(message, depth + 1));
  return { typeUrl: MsgExec.typeUrl, value, fault, bytes, inner };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads the messages and the memo of a transaction.
 * The body (TxBody: field 1 messages, field 2 memo) is walked by hand: the chain takes a memo of any bytes, the
 * generated decoder only well-formed UTF-8.
 * @param readMessage decodeMessage, or outlineMessage, which reads less
 * @throws when the bytes are no transaction
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
