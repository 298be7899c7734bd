/**
 * Accounts of share records (x/liquid): each holds the delegation behind a tokenized share, and is none of a wallet. Their number has
 * no limit, and a dataset may begin after most of them were made; what happens to one says in its own transaction whose account it is.
 */
import { parseCoins } from '../ledger/amount.js';
import type { BankEvent, ChainFacts, Coin, ScopedEvent } from './classifier.js';

/** The events of a message or a phase. */
interface Part {
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
 * Lists accounts that withdrew for a record's owner. The event that closes such a withdrawal names the owner and the sum alone; right
 * before it stands what each record got, and at once sent on. Sends that the sum does not reach are no record's: a contract may have
 * anybody's account send coins to the owner there.
 */
function withdrawers({ events, bank }: Part): string[] {
  const accounts: string[] = [];
  for (const event of events) {
    if (event.type !== 'withdraw_tokenize_share_reward') continue;
    const left = new Map(parseCoins(event.get('amount') ?? '').map(({ denom, amount }) => [denom, amount]));
    for (let next = bank.findLastIndex(({ index }) => index < event.index) + 1; left.size > 0; ) {
      const [reward, spent, received] = [bank[next - 3], bank[next - 2], bank[next - 1]];
      const isSentOn = spent?.type === 'coin_spent' && received?.address === event.address('withdraw_address');
      if (!isSentOn || !takeAll(left, spent.coins)) break;
      accounts.push(spent.address);
      next -= reward?.type === 'coin_received' && reward.address === spent.address ? 4 : 2;
    }
  }
  return accounts;
}

/** Takes coins from a sum, if it has them all; denoms of which nothing is left are gone from it. */
function takeAll(left: Map<string, bigint>, coins: readonly Coin[]): boolean {
  if (coins.some(({ denom, amount }) => amount > (left.get(denom) ?? 0n))) return false;
  for (const { denom, amount } of coins) {
    const rest = left.get(denom)! - amount;
    if (rest === 0n) left.delete(denom);
    else left.set(denom, rest);
  }
  return true;
}

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
