/**
 * Accounts of share records (x/liquid). Each holds the delegation behind a tokenized share and is not a wallet. Their
 * number is unlimited, so they are recognized by the events of each transaction.
 */
import { parseCoins } from '../ledger/amount.js';
import type { BankEvent, ChainFacts, Coin, ScopedEvent } from './classifier.js';

interface Part {
  readonly events: readonly ScopedEvent[];
  readonly bank: readonly BankEvent[];
}

/** Extracts an event's share record id, directly or from the token `<n><operator address>/<id>`. */
const RECORDS: Readonly<Record<string, (event: ScopedEvent) => string | undefined>> = {
  tokenize_shares: (event) => event.get('share_record_id'),
  redeem_shares: (event) => event.get('amount')?.split('/')[1],
  transfer_tokenize_share_record: (event) => event.get('share_record_id'),
};

/**
 * Lists record accounts whose rewards were withdrawn for the owner. The final event contains only owner and total.
 * Before it, each record receives its reward and sends it on. Sends beyond the total are ignored: a contract may cause
 * other sends to the owner.
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

/** Subtracts coins if all are available; removes denoms that reach zero. */
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

/** Extends the facts: share record accounts in these parts are not wallets. */
export function withShareRecords(chain: ChainFacts, parts: readonly Part[]): ChainFacts {
  const accounts = recordAccounts(parts, chain);
  if (accounts.size === 0) return chain;
  return {
    ...chain,
    isWallet: (address): address is string => chain.isWallet(address) && !accounts.has(address),
  };
}
