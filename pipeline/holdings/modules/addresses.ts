/** Bech32 addresses derived from keys and names. */
import { base64, bech32 } from '@scure/base';
import type { Sha256 } from '../state.js';

export function addressBytes(address: string): Uint8Array {
  return bech32.decodeToBytes(address).bytes;
}

export function isAddress(text: string): boolean {
  return bech32.decodeUnsafe(text as `${string}1${string}`) !== undefined;
}

const ENDINGS = ['valoper', 'valcons'];

/** Returns 'cosmos' for cosmos1…, cosmosvaloper1… and cosmosvalcons1…. */
export function addressPrefix(address: string): string {
  const prefix = address.slice(0, address.lastIndexOf('1'));
  const ending = ENDINGS.find((candidate) => prefix.endsWith(candidate));
  return ending ? prefix.slice(0, -ending.length) : prefix;
}

export function operatorAccount(operator: string): string {
  return bech32.encodeFromBytes(addressPrefix(operator), addressBytes(operator));
}

/** Returns the first 20 bytes of the Ed25519 key's hash. @param publicKey base64 */
export function consensusAddress(publicKey: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(`${prefix}valcons`, sha256(base64.decode(publicKey)).subarray(0, 20));
}

export function consensusAddressOfHex(hex: string, prefix: string): string {
  return bech32.encodeFromBytes(
    `${prefix}valcons`,
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
  );
}

/** NewModuleAddress: the first 20 bytes of the name's hash. */
export function moduleAccount(name: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(prefix, sha256(new TextEncoder().encode(name)).subarray(0, 20));
}

/** Returns a share record's account: x/liquid's derived module address, 32 bytes. */
export function shareRecordAccount(record: string, prefix: string, sha256: Sha256): string {
  const text = new TextEncoder();
  const module = sha256(text.encode('module'));
  const key = text.encode(`lsm\0tokenizeshare_${record}`);
  return bech32.encodeFromBytes(prefix, sha256(Uint8Array.from([...module, ...key])));
}
