import { LIMITS } from '../server/http/limits.js';

/** With more wallets, only the link to all of them is listed. */
const LISTED_MAX = 10;

/**
 * Returns links to the reports of a dataset of single wallets, with their names. The report of all wallets comes first.
 */
export function walletLinks(baseUrl: string, addresses: readonly string[]): [name: string, url: string][] {
  const linkOf = (list: readonly string[]) => `${baseUrl}/#addresses=${list.join()}`;
  const canShowAll = addresses.length > 1 && addresses.length <= LIMITS.input.addresses.max;
  return [
    ...(canShowAll ? [['all your wallets', linkOf(addresses)] as [string, string]] : []),
    ...addresses.slice(0, LISTED_MAX).map((address): [string, string] => ['your wallet', linkOf([address])]),
  ];
}
