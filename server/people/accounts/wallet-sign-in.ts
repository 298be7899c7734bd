/** A wallet proves its address by signing a challenge (decisions U1, U7; EIP-4361, CAIP-122). */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { base64, bech32 } from '@scure/base';
import type { Challenge } from '../../../schemas/types.generated.js';
import type { Queries } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

const CHALLENGE_MS = 5 * 60_000;

const opening = (baseUrl: string) => `${new URL(baseUrl).host} wants you to sign in with your Cosmos account:`;

export async function makeChallenge(store: Queries, address: string, baseUrl: string, now: Date): Promise<Challenge> {
  const expires = new Date(now.getTime() + CHALLENGE_MS);
  const challenge = [
    opening(baseUrl),
    address,
    '',
    'This signature proves that the account is yours. It moves no coins and costs nothing.',
    '',
    `URI: ${baseUrl}`,
    'Version: 1',
    `Nonce: ${newSecret()}`,
    `Issued At: ${now.toISOString()}`,
    `Expiration Time: ${expires.toISOString()}`,
  ].join('\n');
  await store.query('challenges/add', { hash: hashOf(challenge), address, expires });
  return { challenge, expires_at: expires.toISOString() };
}

/**
 * Checks a signed challenge. Each challenge is accepted only once.
 * @returns true if the address signed the challenge before it expired
 */
export async function redeemChallenge(
  store: Queries,
  signed: SignedText,
  baseUrl: string,
  now: Date,
): Promise<boolean> {
  if (!signed.text.startsWith(`${opening(baseUrl)}\n`)) return false;
  const [known] = await store.query<{ address: string }>('challenges/take', { hash: hashOf(signed.text), now });
  return known?.address === signed.address && isSigned(signed);
}

interface SignedText {
  readonly address: string;
  readonly text: string;
  readonly publicKey: string;
  readonly signature: string;
}

/** Verifies a text that a wallet has signed (ADR-036). Like the chain, refuses signatures with a high s value. */
function isSigned({ address, text, publicKey, signature }: SignedText): boolean {
  try {
    const key = base64.decode(publicKey);
    if (addressOf(key, address) !== address) return false;
    return secp256k1.verify(base64.decode(signature), Buffer.from(signDocument(address, text)), key);
  } catch {
    return false; // the base64 is invalid, or the key is not a point on the curve
  }
}

function addressOf(key: Uint8Array, like: string): string {
  const prefix = like.slice(0, like.lastIndexOf('1'));
  return bech32.encode(prefix, bech32.toWords(ripemd160(createHash('sha256').update(key).digest())));
}

/** Builds the amino JSON that wallets sign (ADR-036). No chain can execute its only message. */
function signDocument(signer: string, text: string): string {
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
