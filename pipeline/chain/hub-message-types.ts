/**
 * Messages of the Hub's own modules that cosmjs-types does not know. Of each only the account is read that it is run for: their
 * events tell the rest.
 */
import { BinaryReader } from 'cosmjs-types/binary';

/** Type URL → name and field number of the account (proto/osmosis/tokenfactory and proto/gaia/liquid of cosmos/gaia). */
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

export const hubMessageTypes = Object.entries(ACTORS).map(([typeUrl, [name, field]]) => ({
  typeUrl,
  decode: (bytes: Uint8Array): unknown => ({ [name]: readText(bytes, field) }),
}));

/** One text field of a protobuf message, the last where it stands several times; '' where it does not stand at all. */
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
