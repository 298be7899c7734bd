import { bech32 } from '@scure/base';
import { quoted } from '../../../pipeline/base/json/quoted.js';

/** Length of an address in bytes: 20 if derived from a key, 32 for contracts and modules. */
const LENGTHS = [20, 32];

function faultOf(address: string, prefix: string): string | undefined {
  if (address === '') return 'an address is blank';
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  if (!decoded) return `${quoted(address)} is not a bech32 address, or its checksum is wrong`;
  if (decoded.prefix !== prefix) return `${quoted(address)} begins with ${decoded.prefix}1 instead of ${prefix}1`;
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || !LENGTHS.includes(bytes.length)) return `${quoted(address)} does not have 20 or 32 bytes`;
  return undefined;
}

/** Returns valid addresses in lower case, without duplicates and blanks around them, in the given order. */
export function readAddresses(
  items: readonly string[],
  prefix: string,
  fault: (message: string, index?: number) => void,
): string[] {
  const distinct = new Set<string>();
  const seen = new Set<string>();
  items.forEach((given, i) => {
    const item = given.trim();
    if (seen.has(item)) return; // decodes an address only once, because decoding bech32 is slow
    seen.add(item);
    const wrong = faultOf(item, prefix);
    if (wrong) fault(wrong, i);
    else distinct.add(item.toLowerCase());
  });
  return [...distinct];
}

/** Valid prefixes. Bech32 itself also allows characters that are special in URL paths. */
const PREFIX = /^[a-z][a-z0-9]{0,31}$/;

export function contractFault(address: string, prefix: string | undefined): string | undefined {
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (!decoded || !PREFIX.test(decoded.prefix) || !LENGTHS.includes(bytes ?? 0))
    return `must be a bech32 address with a valid checksum, not ${quoted(address)}`;
  if (prefix && decoded.prefix !== prefix) return `must begin with ${prefix}1, not ${quoted(address)}`;
  return undefined;
}

/** Returns the operator address with the same bytes as an account's address. @param prefix of accounts, such as `cosmos` */
export const operatorOf = (account: string, prefix: string): string =>
  bech32.encodeFromBytes(`${prefix}valoper`, bech32.decodeToBytes(account).bytes);
