/** Secrets are 256 random bits. The store contains only their SHA-256. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const newSecret = () => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compared with the secret if no hash is stored, so that the check takes the same time in both cases. */
const NO_HASH = Buffer.alloc(32);

export const isSecretOf = (secret: string, hash: Uint8Array = NO_HASH) => timingSafeEqual(hashOf(secret), hash);
