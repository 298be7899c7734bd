/** Visitors with throw-away wallets, who sign in like any user. */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { bech32 } from '@scure/base';

/** Returns the document that a wallet signs (ADR-036). */
const signDocument = (signer: string, text: string) =>
  JSON.stringify({
    account_number: '0',
    chain_id: '',
    fee: { amount: [], gas: '0' },
    memo: '',
    msgs: [{ type: 'sign/MsgSignData', value: { data: Buffer.from(text).toString('base64'), signer } }],
    sequence: '0',
  });

/** Seeded random numbers (mulberry32), which make a run repeatable. */
export class Seeded {
  constructor(private state: number) {}

  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

/** Returns an address without rows. */
export const strangeAddress = (random: Seeded) => bech32.encode('cosmos', bech32.toWords(random.bytes(20)));

/** Returns the options of a request that posts JSON. */
export const posting = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Sends a request and reads the whole answer. @returns the status; 0 without an answer */
export async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000), ...init });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

interface Visited {
  readonly base: string;
  readonly origin: string;
}

/**
 * Signs in with a new wallet.
 * @param headers sent with both requests
 * @returns the session headers; undefined if refused
 */
export async function signIn(
  victim: Visited,
  random: Seeded,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string> | undefined> {
  const secret = random.bytes(32);
  const key = secp256k1.getPublicKey(secret);
  const address = bech32.encode('cosmos', bech32.toWords(ripemd160(createHash('sha256').update(key).digest())));
  const path = `${victim.base}/api/account/v1/sign-in`;
  const asked = await fetch(`${path}/challenge`, posting({ address }, headers));
  if (asked.status !== 200) return undefined;
  const { challenge } = (await asked.json()) as { challenge: string };
  const signature = Buffer.from(secp256k1.sign(Buffer.from(signDocument(address, challenge)), secret)).toString(
    'base64',
  );
  const body = { address, challenge, pub_key: Buffer.from(key).toString('base64'), signature };
  const answer = await fetch(path, posting(body, headers));
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  return answer.status === 200 && cookie ? { cookie, origin: victim.origin } : undefined;
}

/** @throws Error if the sign-in is refused */
export async function signedIn(victim: Visited, random: Seeded): Promise<Record<string, string>> {
  const headers = await signIn(victim, random);
  if (!headers) throw new Error('sign-in is refused');
  return headers;
}
