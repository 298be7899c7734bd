/**
 * Sign-in challenges: texts that a wallet signs to prove its address (decisions U1, U7), in the format of EIP-4361
 * and CAIP-122. The first attempt uses a challenge up.
 */
import type { Challenge } from '../../schemas/types.generated.js';
import type { Queries } from '../store/store.js';
import { isSigned, type SignedText } from './adr036.js';
import { hashOf, newSecret } from './secrets.js';

const LIFETIME_MS = 5 * 60_000;

/** First line of each challenge. */
const opening = (baseUrl: string) => `${new URL(baseUrl).host} wants you to sign in with your Cosmos account:`;

export async function makeChallenge(store: Queries, address: string, baseUrl: string, now: Date): Promise<Challenge> {
  const expires = new Date(now.getTime() + LIFETIME_MS);
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

/** Uses a challenge up. Returns whether the address signed it: issued by this site, unused and not expired. */
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
