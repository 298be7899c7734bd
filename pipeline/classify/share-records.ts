/**
 * Accounts of share records (x/liquid): each holds the delegation behind a tokenized share, and is none of a wallet. Their number has
 * no limit, and a dataset may begin after most of them were made; what happens to one says in its own transaction whose account it is.
 */
import { bech32 } from '@scure/base';
import type { BankEvent, ChainFacts, ScopedEvent } from './classifier.js';

/** The events of a message or a phase. */
interface Part {
  readonly contracts: ReadonlySet<string>;
  readonly events: readonly ScopedEvent[];
  readonly bank: readonly BankEvent[];
}

/** Lists the share records that an event names: by their ids, or by the token `<n><operator address>/<id>`. */
const RECORDS: Readonly<Record<string, (event: ScopedEvent) => string | undefined>> = {
  tokenize_shares: (event) => event.get('share_record_id'),
  redeem_shares: (event) => event.get('amount')?.split('/')[1],
  transfer_tokenize_share_record: (event) => event.get('share_record_id'),
};

/**
 * Lists accounts that withdrew for a record's owner. The event that closes such a withdrawal names the owner alone; before it stands
 * what each record withdrew, and at once sent on. What the owner or a contract that it called withdrew there is its own.
 */
function withdrawers({ contracts, events, bank }: Part): string[] {
  const accounts: string[] = [];
  let owner: string | undefined;
  let next = bank.length;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.type === 'withdraw_tokenize_share_reward') owner = event.address('withdraw_address');
    if (event.type !== 'withdraw_rewards' || owner === undefined) continue;
    const delegator = event.address('delegator');
    while (next > 0 && bank[next - 1]!.index > event.index) next--;
    const [spent, received] = [bank[next], bank[next + 1]];
    const isSentOn = spent?.type === 'coin_spent' && spent.address === delegator && received?.address === owner;
    if (delegator && isSentOn && isDerived(delegator) && !contracts.has(delegator)) accounts.push(delegator);
  }
  return accounts;
}

/** Tells addresses of 32 bytes, which no key has, from those of keys. */
const isDerived = (address: string) => bech32.decodeUnsafe(address, false)?.words.length === 52;

function recordAccounts(parts: readonly Part[], chain: ChainFacts): Set<string> {
  const accounts = new Set<string>();
  for (const part of parts) {
    for (const event of part.events) {
      const record = RECORDS[event.type]?.(event);
      if (record !== undefined) accounts.add(chain.shareRecordAccount(record));
    }
    for (const account of withdrawers(part)) accounts.add(account);
  }
  return accounts;
}

/** The chain's facts for one transaction, or for a block's own events: accounts of the share records in it are no wallets. */
export function withShareRecords(chain: ChainFacts, parts: readonly Part[]): ChainFacts {
  const accounts = recordAccounts(parts, chain);
  if (accounts.size === 0) return chain;
  return {
    ...chain,
    isWallet: (address): address is string => chain.isWallet(address) && !accounts.has(address),
  };
}
