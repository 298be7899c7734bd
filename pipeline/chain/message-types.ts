/** Every message type that is decoded, from the SDK's, IBC's, CosmWasm's and the Hub's own protobuf definitions. */
import { hubMessageTypes } from './hub-message-types.js';
import * as modules from './message-modules.js';
import { decodeWhole, type ProtobufType } from './protobuf.js';

interface MessageType {
  readonly typeUrl: string;
  decode(bytes: Uint8Array): unknown;
}

function isMessageType(value: unknown): value is ProtobufType<unknown> {
  return typeof value === 'object' && value !== null && 'typeUrl' in value && 'decode' in value;
}

/** Decoders by type URL. Responses are no messages. */
export const messageTypes: ReadonlyMap<string, MessageType> = new Map(
  [
    ...Object.values(modules)
      .flatMap((module) => Object.values<unknown>(module))
      .filter(isMessageType)
      .filter((type) => /\.Msg[A-Za-z0-9]+$/.test(type.typeUrl) && !type.typeUrl.endsWith('Response'))
      .map((type) => ({ ...type, decode: (bytes: Uint8Array) => decodeWhole(type, bytes) })),
    ...hubMessageTypes,
  ].map((type) => [type.typeUrl, type]),
);
