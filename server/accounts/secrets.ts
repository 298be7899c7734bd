/** Secrets: 256 random bits, stored as SHA-256. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 43 characters of base64url. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compared if no hash is known, so that the time stays equal. */
const NO_HASH = Buffer.alloc(32);

export const isSecretOf = (secret: string, hash: Uint8Array = NO_HASH) => timingSafeEqual(hashOf(secret), hash);
