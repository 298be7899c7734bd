import { bech32 } from '@scure/base';
import { quoted } from '../json/quoted.js';

/** Length of an address in bytes: 20 if derived from a key, 32 for contracts and modules. */
export const ADDRESS_LENGTHS = [20, 32];

/** Returns why a text is not an address of an account; undefined if it is one. */
export function addressFault(address: string, prefix: string): string | undefined {
  if (address === '') return 'an address is blank';
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  if (!decoded) return `${quoted(address)} is not a bech32 address, or its checksum is wrong`;
  if (decoded.prefix !== prefix) return `${quoted(address)} begins with ${decoded.prefix}1 instead of ${prefix}1`;
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || !ADDRESS_LENGTHS.includes(bytes.length)) return `${quoted(address)} does not have 20 or 32 bytes`;
  return undefined;
}
