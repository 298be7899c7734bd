/** The scope that classifiers work on: keeps the payments that are still unexplained, and checks every explanation. */
import { parseCoins } from '../ledger/amount.js';
import type { ChainFacts, Coin, Payment, RowDraft, Scope, ScopedEvent } from './classifier.js';

/** What is known of a scope before anything is explained. */
export type ScopeFacts = Omit<Scope, 'coins' | 'unexplained' | 'sendBefore' | 'explain'>;

export interface OpenScope extends Scope {
  /** What has been explained so far. */
  readonly rows: readonly RowDraft[];
}

/** Rows that say what was lost outside the liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * What a row changes of the liquid balance, as [denom, signed base units]. Of tokenize_shares and redeem_shares only the share
 * counts: the coin comes from or goes into the delegation.
 */
export function liquidEffects({ category, sent, received, fee }: RowDraft): [string, bigint][] {
  const effects: [string, bigint][] = [];
  if (NOT_LIQUID.has(category)) return effects;
  if (sent && category !== 'tokenize_shares') effects.push([sent.denom, -sent.amount]);
  if (received && category !== 'redeem_shares') effects.push([received.denom, received.amount]);
  if (fee) effects.push([fee.denom, -fee.amount]);
  return effects;
}

/**
 * Opens a scope for classifiers.
 * @param oversized denoms whose amounts no table can hold: left out of what events say, as they are of the payments
 */
export function openScope(facts: ScopeFacts, payments: readonly Payment[], oversized: ReadonlySet<string>): OpenScope {
  const { chain, place } = facts;
  // What passes between module accounts alone needs no explanation.
  const left = payments.filter(({ from, to }) => chain.isWallet(from) || chain.isWallet(to));
  const rows: RowDraft[] = [];
  return {
    ...facts,
    rows,
    coins(event, key) {
      const coins = parseCoins(event.get(key) ?? '');
      return oversized.size === 0 ? coins : coins.filter(({ denom }) => !oversized.has(denom));
    },
    unexplained: () => [...left],
    sendBefore: (event, coins, fits) => nearestSend(left, event, coins, fits),
    explain(explained, drafts) {
      const kept = drafts.filter(({ address }) => chain.isWallet(address));
      assertAddsUp(place, explained, kept, chain);
      for (const payment of explained) {
        const at = left.indexOf(payment);
        if (at < 0) throw new Error(`${place}: the payment at event ${payment.index} is explained twice`);
        left.splice(at, 1);
      }
      rows.push(...kept);
    },
  };
}

/** Walks back from the event over sends: payments of one index are the coins of one send. */
function nearestSend(
  payments: readonly Payment[],
  event: ScopedEvent,
  coins: readonly Coin[],
  fits: (payment: Payment) => boolean,
): readonly Payment[] {
  let end = payments.length;
  while (end > 0) {
    const { index } = payments[end - 1]!;
    let start = end - 1;
    while (start > 0 && payments[start - 1]!.index === index) start--;
    if (index < event.index && end - start === coins.length) {
      const send = payments.slice(start, end);
      if (send.every((payment, i) => isCoin(payment, coins[i]!) && fits(payment))) return send;
    }
    end = start;
  }
  return [];
}

const isCoin = (payment: Payment, coin: Coin) => payment.denom === coin.denom && payment.amount === coin.amount;

function assertAddsUp(place: string, payments: readonly Payment[], rows: readonly RowDraft[], chain: ChainFacts): void {
  const open = new Map<string, bigint>();
  const add = (address: string | null, denom: string, amount: bigint) => {
    if (chain.isWallet(address)) open.set(`${address} ${denom}`, (open.get(`${address} ${denom}`) ?? 0n) + amount);
  };
  for (const { from, to, denom, amount } of payments) {
    add(from, denom, -amount);
    add(to, denom, amount);
  }
  for (const row of rows) for (const [denom, amount] of liquidEffects(row)) add(row.address, denom, -amount);
  for (const [key, amount] of open) {
    if (amount !== 0n) {
      const categories = rows.map(({ category }) => category).join(', ');
      throw new Error(`${place}: rows (${categories}) and payments differ by ${amount} for ${key}`);
    }
  }
}
