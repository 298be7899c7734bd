/** The accounts in whose name a transaction ran: its signers, and those that had let a signer act (authz). */
import type { Message, Transaction } from '../chain/block.js';

/** Members of decoded messages that name the account they are run for. */
const ACTORS = ['sender', 'fromAddress', 'delegatorAddress', 'signer'] as const;

/**
 * Addresses in lower case. The ante handler tells each signer by an event of its own, with the sequence number behind a slash
 * (SDK x/auth); a message inside MsgExec is run for its own sender, whose grant it needs.
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

/** Its delegator is a text that the chain has not looked at since SDK 0.50: anybody could name the receiver of spam there. */
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
