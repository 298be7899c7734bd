/** Addresses that follow from a chain's file: its module accounts, and operators' own accounts. */
import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Chain } from '../../schemas/types.generated.js';
import type { ChainFacts } from './classifier.js';

type Bech32Text = `${string}1${string}`;

/** A module account's address: the first 20 bytes of SHA-256 of its name (SDK x/auth NewModuleAddress). */
export function moduleAddress(prefix: string, name: string): string {
  const digest = createHash('sha256').update(name).digest().subarray(0, 20);
  return bech32.encode(prefix, bech32.toWords(digest));
}

/** What classification must know of a chain beyond its blocks. */
export function chainFacts(chain: Chain): ChainFacts {
  const account = chain.bech32_prefix;
  const operator = `${account}valoper`;
  const modules = new Map(chain.module_accounts.map((name) => [name, moduleAddress(account, name)]));
  const addresses = new Set(modules.values());
  const shareDenom = new RegExp(`^${operator}1[0-9a-z]+/\\d+$`);
  const reEncode = (address: string, prefix: string) =>
    bech32.encode(prefix, bech32.decode(address as Bech32Text, false).words, false);
  const module = (name: string) => {
    const address = modules.get(name);
    if (!address) throw new Error(`the chain's file lists no module account ${name}`);
    return address;
  };
  return {
    isWallet: (address): address is string => address !== null && !addresses.has(address),
    module,
    moduleAddresses: [...addresses],
    feeCollectors: chain.fee_collectors.map(module),
    isShareDenom: (denom) => shareDenom.test(denom),
    accountOf: (address) => reEncode(address, account),
    operatorOf: (address) => reEncode(address, operator),
  };
}
