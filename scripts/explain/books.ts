import { noDecisions } from '../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../pipeline/books/ledger/entry.js';
import type { Lot, Slice } from '../../pipeline/books/ledger/lots.js';
import type { OpeningHoldings } from '../../pipeline/books/ledger/opening-coins.js';
import { replayWallet, WalletState } from '../../pipeline/books/ledger/replay.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import { type EventRow, walletRows } from '../../pipeline/books/reports/event-row.js';
import { openLots } from '../../pipeline/books/reports/positions.js';
import { USUAL } from '../../pipeline/books/terms.js';
import type { PricedEvent } from '../../schemas/types.generated.js';

export interface OpenLots {
  readonly denom: string;
  readonly lots: number;
  readonly quantity: bigint;
  /** Base units that remain of the coins held before the index. */
  readonly opening: bigint;
  /** Cost basis in cents. Excludes lots of unknown basis. */
  readonly basis: bigint;
  /** Base units in lots of unknown basis. */
  readonly unknown: bigint;
}

/** A lot that the row's transaction acquired. */
export interface NewLot {
  readonly denom: string;
  readonly lot: Lot;
  /** Base units that remain after the wallet's last row. */
  readonly left: bigint;
}

export interface Books {
  readonly shown: EventRow;
  readonly entries: readonly Entry[];
  readonly before: readonly OpenLots[];
  readonly after: readonly OpenLots[];
  readonly arrived: readonly NewLot[];
}

/**
 * Replays a wallet without tags and decisions, in the same way as a nightly run.
 * @param rows all rows of the wallet
 * @param opening holdings before the index
 */
export function booksAround(
  row: PricedEvent,
  rows: readonly PricedEvent[],
  opening: OpeningHoldings,
  rules: Rules,
): Books {
  const wallet = new WalletState({ ...USUAL, rules, address: row.address, opening });
  const denoms = denomsOf(row);
  const isSame = ({ height, tx_hash }: PricedEvent) => height === row.height && tx_hash === row.tx_hash;
  const first = rows.findIndex(isSame);
  const end = rows.findLastIndex(isSame) + 1;
  const replay = (events: readonly PricedEvent[]) => [...replayWallet(events, noDecisions, wallet)];
  replay(rows.slice(0, first));
  const before = denoms.map((denom) => heldOf(wallet, denom));
  const known = new Set(denoms.flatMap((denom) => slicesOf(wallet, denom).map(({ lot }) => lot)));
  const entries = replay(rows.slice(first, end)).filter(({ event_id }) => event_id === row.id);
  const after = denoms.map((denom) => heldOf(wallet, denom));
  const arrived = denoms.flatMap((denom) => {
    const lots = new Set(slicesOf(wallet, denom).map(({ lot }) => lot));
    return [...lots].filter((lot) => !known.has(lot)).map((lot) => ({ denom, lot }));
  });
  replay(rows.slice(end));
  const rowOf = walletRows({ rules, monikerOf: () => '' });
  const shown = rows
    .slice(0, rows.indexOf(row) + 1)
    .map(rowOf)
    .at(-1)!;
  return { shown, entries, before, after, arrived: arrived.map((one) => ({ ...one, left: leftOf(wallet, one) })) };
}

export function denomsOf({ sent_denom, received_denom, fee_denom }: PricedEvent): string[] {
  return [...new Set([fee_denom, sent_denom, received_denom].filter((denom) => denom !== null))];
}

const slicesOf = (wallet: WalletState, denom: string): Slice[] => [...wallet.holding(denom).lots];

function heldOf(wallet: WalletState, denom: string): OpenLots {
  const { lots, quantity, opening, unknown, cost } = openLots(wallet.holding(denom));
  return { denom, lots, quantity, opening, unknown, basis: cost };
}

const leftOf = (wallet: WalletState, { denom, lot }: Omit<NewLot, 'left'>): bigint =>
  slicesOf(wallet, denom)
    .filter((slice) => slice.lot === lot)
    .reduce((sum, { from, to }) => sum + to - from, 0n);
