/** Visitors: anybody with a throw-away wallet, who signs in as everybody may. */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { bech32 } from '@scure/base';
import { signDocument } from '../../server/accounts/challenges.js';
import type { Seeded } from './seeded.js';
import type { Victim } from './victim.js';

/** An address of the chain that nobody has. */
export const strangeAddress = (random: Seeded) => bech32.encode('cosmos', bech32.toWords(random.bytes(20)));

/** Options of a request that posts JSON. */
export const posting = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Asks, and reads the answer to its end. @returns its status; 0 when there is none */
export async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000), ...init });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** The server that is visited. */
type Visited = Pick<Victim, 'base' | 'origin'>;

/** Signs in with a new wallet. @returns the headers of its session; undefined when it is refused */
export async function signIn(victim: Visited, random: Seeded): Promise<Record<string, string> | undefined> {
  const secret = random.bytes(32);
  const key = secp256k1.getPublicKey(secret);
  const address = bech32.encode('cosmos', bech32.toWords(ripemd160(createHash('sha256').update(key).digest())));
  const path = `${victim.base}/api/account/v1/sign-in`;
  const asked = await fetch(`${path}/challenge`, posting({ address }));
  if (asked.status !== 200) return undefined;
  const { challenge } = (await asked.json()) as { challenge: string };
  const signature = Buffer.from(secp256k1.sign(Buffer.from(signDocument(address, challenge)), secret)).toString(
    'base64',
  );
  const body = { address, challenge, pub_key: Buffer.from(key).toString('base64'), signature };
  const answer = await fetch(path, posting(body));
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  return answer.status === 200 && cookie ? { cookie, origin: victim.origin } : undefined;
}

/** Signs in. @throws Error when that is refused */
export async function signedIn(victim: Visited, random: Seeded): Promise<Record<string, string>> {
  const headers = await signIn(victim, random);
  if (!headers) throw new Error('nobody can sign in');
  return headers;
}
