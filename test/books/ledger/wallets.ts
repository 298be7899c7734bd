/** Helpers of ledger tests: makes events from a few words and replays them. */
import { formatDecimal } from '../../../pipeline/base/values/amount.js';
import { Away, hasReturns } from '../../../pipeline/books/ledger/away.js';
import { type Decisions, noDecisions, parseTags, type RowTags } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { BEFORE_INDEX } from '../../../pipeline/books/ledger/opening-coins.js';
import { type OpeningLot, openingEntries, openingRow } from '../../../pipeline/books/ledger/opening-lots.js';
import {
  eventsUntil,
  findOwnTransfers,
  type OwnTransfers,
  replayJointly,
  replayUnwritten,
  replayWallet,
  WalletState,
} from '../../../pipeline/books/ledger/replay.js';
import { type ResolvedTags, resolveTags } from '../../../pipeline/books/ledger/row-tags.js';
import { readSlices, termOf } from '../../../pipeline/books/ledger/slices.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';

export const { rules } = loadReference();

/** Returns a transaction hash made of a number. */
export const hash = (n: number): string => n.toString(16).toUpperCase().padStart(64, '0');

/** Makes an event; other members are blank. Id, hash and order follow from the height. */
export function makeEvent(height: number, day: string, category: string, more: Partial<PricedEvent> = {}): PricedEvent {
  return {
    ...openingRow('A', 0, day),
    height,
    id: `${height}-0-0-0-${more.address ?? 'A'}`,
    time: `${day} 12:00:00`,
    tx_hash: hash(height),
    category,
    ...more,
  };
}

/** Receives 20 ATOM at 12 USD each. */
export const receipt = (height: number, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-02-10', 'transfer_in', {
    received_amount: 20_000_000n,
    received_denom: 'uatom',
    received_price: 12_000_000n,
    ...more,
  });

/** First day of the index in tests. */
export const INDEX_START = '2025-12-31';

/** Reads tags and finds their rows. @throws Error if a key or a tag cannot be read */
export function readTags(events: Iterable<PricedEvent>, given: unknown): ResolvedTags {
  const read = parseTags(given, rules);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return resolveTags(events, read.value, rules);
}

export const tagsOf = (events: Iterable<PricedEvent>, given: unknown): RowTags => readTags(events, given).tags;

export interface Replayed {
  readonly wallet: WalletState;
  readonly entries: readonly Entry[];
}

/**
 * Replays a whole wallet, or its events up to the end of a day.
 * @param opening coins held before the index
 * @param stated opening lots of its owner
 * @param own transfers between own wallets that carry lots
 */
export function replay(
  events: readonly PricedEvent[],
  decisions: Decisions = noDecisions,
  until = '9999-12-31',
  opening?: ReadonlyMap<string, bigint>,
  stated: readonly OpeningLot[] = [],
  own?: OwnTransfers,
  address = events[0]?.address ?? 'A',
  terms = USUAL,
): Replayed {
  const away = own?.away ?? (hasReturns(decisions.assets) ? new Away() : undefined);
  const wallet = new WalletState({ ...terms, rules, address, opening, stated, away });
  const opened = openingEntries(wallet, stated, INDEX_START);
  return {
    wallet,
    entries: [...opened, ...replayWallet(eventsUntil(events, `${until} 23:59:59`), decisions, wallet, own)],
  };
}

/** Finds transfers between the wallets and replays these together, so that the carried lots are known. */
export function carriedBetween(
  wallets: Readonly<Record<string, readonly PricedEvent[]>>,
  decisions: Decisions = noDecisions,
  opening?: ReadonlyMap<string, bigint>,
  own = findOwnTransfers(Object.values(wallets).flat(), decisions, rules),
  terms = USUAL,
): OwnTransfers {
  const replays = Object.entries(wallets).map(([address, events]): [string, Iterator<PricedEvent, void>] => {
    const wallet = new WalletState({ ...terms, rules, address, opening, away: own.away });
    return [address, replayUnwritten(events, decisions, wallet, own)];
  });
  replayJointly(new Map(replays), own);
  return own;
}

/** One row of Form 8949. */
export interface Realized {
  readonly address: string;
  readonly sold: string;
  readonly acquired: string | null;
  /** Displayed units. */
  readonly quantity: string;
  /** Cents. */
  readonly proceeds: bigint | null;
  readonly basis: bigint | null;
  readonly gain: bigint | null;
  readonly term: 'SHORT' | 'LONG';
  readonly category: string;
}

/** Returns rows of Form 8949: slices of all disposals without a refund. */
export function realized(entries: readonly Entry[]): Realized[] {
  const undone = new Set(entries.map((entry) => entry.reverses));
  return entries
    .filter((entry) => entry.act === 'dispose' && !undone.has(entry.event_id))
    .flatMap((entry) =>
      readSlices(entry.slices).map(({ acquired, quantity, basis, proceeds }) => {
        const sold = entry.time.slice(0, 10);
        return {
          address: entry.address,
          sold,
          acquired,
          quantity: formatDecimal(quantity, rules.denomination(entry.denom).decimals),
          proceeds,
          basis,
          gain: proceeds === null || basis === null ? null : proceeds - basis,
          term: acquired === null || acquired === BEFORE_INDEX ? 'SHORT' : termOf(acquired, sold),
          category: entry.category,
        };
      }),
    );
}

/** Returns the net debit of each account in cents. */
export function balances(entries: readonly Entry[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const add = (account: string, cents: bigint) => sums.set(account, (sums.get(account) ?? 0n) + cents);
  for (const { debit_account, credit_account, amount } of entries) {
    add(debit_account, amount);
    add(credit_account, -amount);
  }
  return sums;
}

/** Returns the cents credited to income accounts. */
export function incomeOf(entries: readonly Entry[]): bigint {
  let cents = 0n;
  for (const [account, debit] of balances(entries)) if (account.startsWith('Income: ')) cents -= debit;
  return cents;
}
