/**
 * Messages of the Hub's own modules that cosmjs-types does not know. Of each only the account is read that it is run for: their
 * events tell the rest.
 */
import protobuf from 'protobufjs/light.js';

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

export const hubMessageTypes = Object.entries(ACTORS).map(([typeUrl, [name, field]]) => {
  const type = new protobuf.Type('Message').add(new protobuf.Field(name, field, 'string'));
  return { typeUrl, decode: (bytes: Uint8Array): unknown => type.decode(bytes) };
});
