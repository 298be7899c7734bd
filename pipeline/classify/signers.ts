/** Accounts that a transaction acted for: its signers, and authz granters. */
import type { Message, Transaction } from '../chain/block.js';

/** Message fields that contain the acting account. */
const ACTORS = ['sender', 'fromAddress', 'delegatorAddress', 'signer'] as const;

/**
 * Returns addresses in lower case. The ante handler emits `acc_seq` = `address/sequence` per signer (SDK x/auth). A
 * message inside MsgExec runs for its own sender, who granted it.
 */
export function signersOf({ events, messages }: Transaction): ReadonlySet<string> {
  const signers = new Set<string>();
  for (const { type, attributes } of events) {
    if (type !== 'tx') continue;
    for (const { key, value } of attributes) if (key === 'acc_seq') signers.add(value.split('/')[0]!.toLowerCase());
  }
  for (const { inner } of messages) addActors(inner, signers);
  return signers;
}

/** Skipped: since SDK 0.50 the chain ignores its delegatorAddress, so spam could contain any address. */
const CREATE_VALIDATOR = '/cosmos.staking.v1beta1.MsgCreateValidator';

function addActors(granted: readonly Message[], signers: Set<string>): void {
  for (const { typeUrl, value, inner } of granted) {
    if (typeof value === 'object' && value !== null && typeUrl !== CREATE_VALIDATOR) {
      const members = value as Readonly<Record<string, unknown>>;
      for (const name of ACTORS) {
        const address = members[name];
        if (typeof address === 'string') signers.add(address.toLowerCase());
      }
    }
    addActors(inner, signers);
  }
}
