import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Chain, ChainAct, Contracts } from '../../schemas/types.generated.js';
import type { ChainFacts, KnownContract, Payment, ReviewedAct } from './classifier.js';
import { lastReceiver } from './memo-actions.js';

type Bech32Text = `${string}1${string}`;

export function chainFacts(chain: Chain, contracts: Contracts, acts: readonly ChainAct[] = []): ChainFacts {
  const account = chain.bech32_prefix;
  const operator = `${account}valoper`;
  const modules = new Map(chain.module_accounts.map((name) => [name, moduleAddress(account, name)]));
  const moduleAccounts = makeModuleAccounts(chain);
  const known = knownContracts(contracts);
  const moved = new Map(chain.moved_denoms.map(({ denom, from }) => [denom, from]));
  const escrows = new Map<string, string>();
  const escrow = (port: string, channel: string) => {
    const name = `${port}/${channel}`;
    const address = escrows.get(name) ?? escrowAddress(account, port, channel);
    escrows.set(name, address);
    return address;
  };
  const shareDenom = new RegExp(`^${operator}1[0-9a-z]+/\\d+$`);
  const reEncode = (address: string, prefix: string) =>
    bech32.encode(prefix, bech32.decode(address as Bech32Text, false).words, false);
  const module = (name: string) => {
    const address = modules.get(name);
    if (!address) throw new Error(`the chain's file lists no module account ${name}`);
    return address;
  };
  return {
    isWallet: (address): address is string => address !== null && !moduleAccounts.has(address),
    module,
    moduleAccounts,
    feeCollectors: chain.fee_collectors.map(module),
    escrow,
    shareRecordAccount: (record) => shareRecordAddress(account, record),
    accountPrefix: account,
    isShareDenom: (denom) => shareDenom.test(denom),
    accountOf: (address) => reEncode(address, account),
    operatorOf: (address) => reEncode(address, operator),
    compareAddresses,
    isSameKey: sameKey(chain.other_key_prefixes.map(({ prefix }) => prefix)),
    lastReceiver,
    movedFrom: (denom) => moved.get(denom),
    contract: (address) => known.get(address),
    actOf: actLookup(acts, (account) => modules.get(account) ?? account),
  };
}

/** @param others prefixes of chains on which this chain's keys have other addresses */
function sameKey(others: readonly string[]): ChainFacts['isSameKey'] {
  const foreign = new Set(others);
  const words = (address: string) => {
    const decoded = bech32.decodeUnsafe(address, false);
    return decoded && !foreign.has(decoded.prefix) ? decoded.words.join(' ') : undefined;
  };
  return (one, other) => words(one) !== undefined && words(one) === words(other);
}

/** Compares bech32 addresses by their 5-bit words. The order is the same as the order of the address bytes. */
function compareAddresses(one: string, other: string): number {
  const [a, b] = [one, other].map((address) => bech32.decode(address as Bech32Text, false).words) as [
    number[],
    number[],
  ];
  const place = a.findIndex((word, i) => word !== b[i]);
  return a.length - b.length || (place < 0 ? 0 : a[place]! - b[place]!);
}

const addressOf = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes), false);

function sha256(...parts: (string | Uint8Array)[]): Uint8Array {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Returns a module's address, like NewModuleAddress in x/auth of the SDK. */
const moduleAddress = (prefix: string, name: string): string => addressOf(prefix, sha256(name).subarray(0, 20));

/**
 * Returns the address of a channel's escrow account, like GetEscrowAddress in ibc-go (ICS-20).
 * @param channel id of a channel, or of a light client since IBC v2
 */
const escrowAddress = (prefix: string, port: string, channel: string): string =>
  addressOf(prefix, sha256(`ics20-1\0${port}/${channel}`).subarray(0, 20));

const MODULE_ACCOUNT = sha256('module');

/** Returns the 32-byte address of a share record, like address.Module in the SDK, which gaia's x/liquid uses. */
const shareRecordAddress = (prefix: string, record: string): string =>
  addressOf(prefix, sha256(MODULE_ACCOUNT, `lsm\0tokenizeshare_${record}`));

const upTo = (length: number): number[] => Array.from({ length }, (_, i) => i);

const made = new Map<string, ReadonlySet<string>>();

function makeModuleAccounts(chain: Chain): ReadonlySet<string> {
  const key = JSON.stringify(chain);
  const known = made.get(key);
  if (known) return known;
  const { bech32_prefix: prefix, module_accounts, transfer_escrows } = chain;
  const escrows = transfer_escrows.flatMap(({ prefix: id, count }) => upTo(count).map((i) => `${id}${i}`));
  const addresses = new Set([
    ...module_accounts.map((name) => moduleAddress(prefix, name)),
    ...escrows.map((channel) => escrowAddress(prefix, 'transfer', channel)),
  ]);
  made.set(key, addresses);
  return addresses;
}

/** @param addressOf maps a module's name to its address, and returns an address unchanged */
function actLookup(acts: readonly ChainAct[], addressOf: (account: string) => string): ChainFacts['actOf'] {
  const known = acts.map((act) => ({ act, from: addressOf(act.from), to: addressOf(act.to) }));
  const matches = ({ act, from, to }: (typeof known)[number], payment: Payment, height: number) =>
    payment.from === from &&
    payment.to === to &&
    (act.height ?? height) === height &&
    (act.amount === 'all' || act.amount === `${payment.amount}${payment.denom}`);
  return (payment, height) => {
    const found = known.find((one) => matches(one, payment, height));
    return found && reviewedAct(found.act);
  };
}

function reviewedAct({ sent_as: sentAs, received_as: receivedAs, escrow, reason, source }: ChainAct): ReviewedAct {
  return { sentAs, receivedAs, escrow, detail: `Moved by the chain itself: ${reason} (${source})` };
}

function knownContracts({ kinds, contracts }: Contracts): ReadonlyMap<string, KnownContract> {
  const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));
  return new Map(
    contracts.map(({ address, protocol, name, kind }) => {
      const { paid_in: paidIn, paid_out: paidOut, router: isRouter = false } = kindOf.get(kind)!;
      return [address, { name: `${protocol} ${name}`, paidIn, paidOut, isRouter }];
    }),
  );
}
