/**
 * Signs manifests with Ed25519 (RFC 8032), and verifies signatures. The signature is a file beside the manifest, so that
 * the manifest has the same bytes with and without it. Equal manifests have equal signatures under one key.
 */
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/disk/atomic-files.js';
import { manifestFile, SIGNATURE } from './generation.js';

/** A signature has 64 bytes, which are 88 characters of base64. */
export const SIGNATURE_MAX_BYTES = 1024;

const signatureFile = (folder: string) => join(folder, SIGNATURE);

/** Returns the text of a generation's signature; undefined if the generation is not signed. */
export function readSignature(folder: string): string | undefined {
  try {
    return readFileSync(signatureFile(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function writeSignature(folder: string, signature: string): void {
  if (readSignature(folder) !== signature) replaceFile(signatureFile(folder), signature);
}

/**
 * Signs the manifest of a generation's folder. Replaces a signature of another key.
 * @param key private key, PEM
 */
export function signManifest(folder: string, key: string): void {
  const signature = sign(null, readFileSync(manifestFile(folder)), createPrivateKey(key));
  writeSignature(folder, `${signature.toString('base64')}\n`);
}

/** Returns the public key (PEM) of a private key. */
export const publicKeyOf = (key: string): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

/**
 * Returns true if one of the keys made the signature for exactly this text.
 * @param keys public keys, PEM
 */
export function isSignedBy(keys: readonly string[], text: string, signature: string | undefined): boolean {
  if (signature === undefined) return false;
  const bytes = Buffer.from(signature, 'base64');
  return keys.some((key) => verify(null, Buffer.from(text), createPublicKey(key), bytes));
}
