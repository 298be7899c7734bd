/** Addresses of wallets, as requests name them (decision R1). */
import { bech32 } from '@scure/base';

export const ADDRESSES_MAX = 50;

/** Lengths of an account address in bytes: a key's, or a contract's and a module's derived one. */
const LENGTHS = [20, 32];

/**
 * Tells what is wrong with an account address; undefined: nothing.
 * @param address bech32 text; all upper case is the same address
 */
function faultOf(address: string, prefix: string): string | undefined {
  if (address === '') return 'an address is blank';
  const shown = JSON.stringify(address.length > 100 ? `${address.slice(0, 100)}…` : address);
  const decoded = bech32.decodeUnsafe(address as `${string}1${string}`);
  if (!decoded) return `${shown} is no bech32 address, or its checksum is wrong`;
  if (decoded.prefix !== prefix) return `${shown} begins with ${decoded.prefix}1 instead of ${prefix}1`;
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || !LENGTHS.includes(bytes.length)) return `${shown} has not 20 or 32 bytes`;
  return undefined;
}

/**
 * Checks a list of addresses: order kept, one given twice counts once, lower case.
 * @param fault told each fault and the place of the address in the list
 */
export function readAddresses(
  items: readonly string[],
  prefix: string,
  fault: (message: string, index?: number) => void,
): string[] {
  const distinct = new Set<string>();
  items.forEach((item, i) => {
    const wrong = faultOf(item, prefix);
    if (wrong) fault(wrong, i);
    else distinct.add(item.toLowerCase());
  });
  if (distinct.size > ADDRESSES_MAX) fault(`at most ${ADDRESSES_MAX} addresses a query, not ${distinct.size}`);
  return [...distinct];
}
