/** Secrets that the service hands out: 256 random bits, of which only the SHA-256 is kept. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes a secret: 43 characters of base64url. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The hash of no secret: what is compared where nothing is known, so that the answer takes as long. */
const NO_HASH = Buffer.alloc(32);

/** Whether a secret is the one of a hash, in a time that tells nothing about either, nor whether there is a hash. */
export const isSecretOf = (secret: string, hash: Uint8Array = NO_HASH) => timingSafeEqual(hashOf(secret), hash);
