/** Addresses that the chain makes of keys and names. Bech32 throughout. */
import { base64, bech32 } from '@scure/base';
import type { Sha256 } from '../state.js';

/** An account's or validator's bytes. */
export function addressBytes(address: string): Uint8Array {
  return bech32.decodeToBytes(address).bytes;
}

/** Whether the checksum of a bech32 address is right: one that was mistyped belongs to nobody. */
export function isAddress(text: string): boolean {
  return bech32.decodeUnsafe(text as `${string}1${string}`) !== undefined;
}

const ENDINGS = ['valoper', 'valcons'];

/** 'cosmos' of cosmos1…, cosmosvaloper1… and cosmosvalcons1… */
export function addressPrefix(address: string): string {
  const prefix = address.slice(0, address.lastIndexOf('1'));
  const ending = ENDINGS.find((candidate) => prefix.endsWith(candidate));
  return ending ? prefix.slice(0, -ending.length) : prefix;
}

/** The account that operates a validator: the same bytes. */
export function operatorAccount(operator: string): string {
  return bech32.encodeFromBytes(addressPrefix(operator), addressBytes(operator));
}

/** A validator's consensus address: the first 20 bytes of its Ed25519 key's hash. @param publicKey base64 */
export function consensusAddress(publicKey: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(`${prefix}valcons`, sha256(base64.decode(publicKey)).subarray(0, 20));
}

/** A consensus address that evidence names by its bytes. @param hex upper case */
export function consensusAddressOfHex(hex: string, prefix: string): string {
  return bech32.encodeFromBytes(
    `${prefix}valcons`,
    Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
  );
}

/** A module's account (NewModuleAddress): the first 20 bytes of its name's hash. */
export function moduleAccount(name: string, prefix: string, sha256: Sha256): string {
  return bech32.encodeFromBytes(prefix, sha256(new TextEncoder().encode(name)).subarray(0, 20));
}

/** A share record's account: x/liquid's derived module address of all 32 bytes. */
export function shareRecordAccount(record: string, prefix: string, sha256: Sha256): string {
  const text = new TextEncoder();
  const module = sha256(text.encode('module'));
  const key = text.encode(`lsm\0tokenizeshare_${record}`);
  return bech32.encodeFromBytes(prefix, sha256(Uint8Array.from([...module, ...key])));
}
