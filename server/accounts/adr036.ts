/** Signatures of Cosmos wallets over a text (ADR-036). */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { base64, bech32 } from '@scure/base';

export interface SignedText {
  /** Bech32 address, lower case. */
  readonly address: string;
  readonly text: string;
  /** Compressed secp256k1 key, 33 bytes in base64. */
  readonly publicKey: string;
  /** r and s, 64 bytes in base64. */
  readonly signature: string;
}

/** Returns whether the key belongs to the address and signed the text. High-s signatures fail, as on the chain. */
export function isSigned({ address, text, publicKey, signature }: SignedText): boolean {
  try {
    const key = base64.decode(publicKey);
    if (addressOf(key, address) !== address) return false;
    return secp256k1.verify(base64.decode(signature), Buffer.from(signDocument(address, text)), key);
  } catch {
    return false; // invalid base64, or not a point of the curve
  }
}

/** Returns the address of a key, with the prefix of `like`. */
function addressOf(key: Uint8Array, like: string): string {
  const prefix = like.slice(0, like.lastIndexOf('1'));
  return bech32.encode(prefix, bech32.toWords(ripemd160(createHash('sha256').update(key).digest())));
}

/** Builds the document that wallets sign: amino JSON with sorted members, and one message that no chain accepts. */
export function signDocument(signer: string, text: string): string {
  const data = Buffer.from(text).toString('base64');
  return JSON.stringify({
    account_number: '0',
    chain_id: '',
    fee: { amount: [], gas: '0' },
    memo: '',
    msgs: [{ type: 'sign/MsgSignData', value: { data, signer } }],
    sequence: '0',
  });
}
