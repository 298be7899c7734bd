import { bech32 } from '@scure/base';
import { quoted } from '../../../pipeline/base/json/quoted.js';
import { ADDRESS_LENGTHS, addressFault } from '../../../pipeline/base/values/address.js';

/** Returns the valid addresses in the given order, in lower case, without duplicates and surrounding blanks. */
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
    const wrong = addressFault(item, prefix);
    if (wrong) fault(wrong, i);
    else distinct.add(item.toLowerCase());
  });
  return [...distinct];
}

/** Matches valid prefixes. Bech32 itself also allows characters that have a meaning in URL paths. */
const PREFIX = /^[a-z][a-z0-9]{0,31}$/;

export function contractFault(address: string, prefix: string | undefined): string | undefined {
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)?.length;
  if (!decoded || !PREFIX.test(decoded.prefix) || !ADDRESS_LENGTHS.includes(bytes ?? 0))
    return `must be a bech32 address with a valid checksum, not ${quoted(address)}`;
  if (prefix && decoded.prefix !== prefix) return `must begin with ${prefix}1, not ${quoted(address)}`;
  return undefined;
}

/**
 * Returns the operator address with the same bytes as an account's address.
 * @param prefix prefix of account addresses, such as `cosmos`
 */
export const operatorOf = (account: string, prefix: string): string =>
  bech32.encodeFromBytes(`${prefix}valoper`, bech32.decodeToBytes(account).bytes);
