/**
 * Exports a wallet's history for tax programs. Unlike /events it omits moves within the wallet, excluded receipts and
 * refunded packets, and merges the two rows of a swap.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { formatCents, valueInCents } from '../../ledger/amount.js';
import type { Decisions } from '../../ledger/decisions/decisions.js';
import { type Partners, pairSwapLegs } from '../../ledger/legs.js';
import type { OpeningHoldings } from '../../ledger/opening/opening-coins.js';
import type { Rules } from '../../ledger/rules.js';
import { decisionOf } from '../../ledger/treatment.js';
import { type EventRow, eventRow, type RowContext } from '../event-row.js';
import type { Kind } from '../label.js';
import type { ImportCoin, ImportRow } from './import-row.js';
import { type Crossing, InnerMoves } from './inner-moves.js';
import type { UnlistedDenoms } from './unlisted-denoms.js';
import { UnreportedCoins } from './untold-coins.js';

export interface ImportSources {
  readonly context: RowContext;
  readonly decisions: Decisions;
  /** Unlisted denoms, shared by all wallets of the file. */
  readonly unlisted: UnlistedDenoms;
  readonly opening: OpeningHoldings;
  /** Checks whether the file includes rows of a kind. */
  readonly isIncluded: (kind: Kind) => boolean;
  /**
   * First and last exported second, YYYY-MM-DD HH:MM:SS. Earlier rows are still read: they affect deposits and omitted
   * coins.
   */
  readonly range: { readonly from: string; readonly to: string };
}

const EVENTS_AT_ONCE = 100;

/**
 * Yields the import rows of one wallet in chain order, and undefined at intervals to keep the event loop free.
 * @param events returns all rows of the wallet; called twice
 */
export function* importRows(
  events: () => Iterable<PricedEvent>,
  sources: ImportSources,
): Generator<ImportRow | undefined, void, undefined> {
  const { rules } = sources.context;
  const moves = new InnerMoves(rules, sources.decisions);
  const unreported = new UnreportedCoins(sources.opening, (units, denom) => coin(units, denom, sources));
  let read = 0;
  for (const event of events()) {
    moves.foresee(event);
    sources.unlisted.note(event);
    if (++read % EVENTS_AT_ONCE === 0) yield undefined;
  }
  const partners: Partners = new Map();
  for (const event of pairSwapLegs(events(), rules, partners)) {
    if (++read % EVENTS_AT_ONCE === 0) yield undefined;
    if (event.time > sources.range.to) return;
    const crossing = moves.crossing(event);
    const partner = partners.get(event.id);
    if (partner) {
      partners.delete(event.id);
      // Exported with the first half.
      if (!partners.has(partner.id)) continue;
    }
    const row = partner ? swapRow(event, partner, sources) : importRow(event, crossing, sources);
    const got = partner && event.received_amount === null ? partner : event;
    const arrived = { denom: got.received_denom, units: partner ? got.received_amount! : crossing.received };
    const included =
      row && (sources.isIncluded(row.kind) ? unreported.include(row, arrived) : unreported.omit(row, arrived));
    if (included && event.time >= sources.range.from) yield included;
  }
}

function importRow(event: PricedEvent, crossing: Crossing, sources: ImportSources): ImportRow | undefined {
  const { rules } = sources.context;
  const row = eventRow(event, sources.context, sources.decisions);
  const kind = kindOf(row, event, sources);
  if (kind === undefined) return undefined;
  const { event: shown } = row;
  // An override states the received coin. Such a receipt never counts as a returned deposit.
  const received = crossing.received === event.received_amount ? shown.received_amount : crossing.received;
  const coins = {
    sent: coin(shown.fee_amount ?? crossing.sent, shown.fee_denom ?? shown.sent_denom, sources),
    received: coin(received, shown.received_denom, sources),
  };
  if (!coins.sent && !coins.received) return undefined;
  const isPart = crossing.received !== (event.received_amount ?? 0n) || crossing.sent !== (event.sent_amount ?? 0n);
  // A stated value applies only to the part that exceeds a deposit (decision R7).
  const isShare = isPart && row.valueStatus !== 'stated';
  return { row, kind, ...coins, valueUsd: isShare ? partValue(row, coins, rules) : shownValue(row) };
}

const shownValue = ({ value, priceMissing }: EventRow) => (priceMissing ? '' : formatCents(value));

function partValue(row: EventRow, { sent, received }: Pick<ImportRow, 'sent' | 'received'>, rules: Rules): string {
  const { units, denom } = (received ?? sent)!;
  return row.priceMissing ? '' : formatCents(valueInCents(units, rules.denomination(denom).decimals, row.price));
}

function swapRow(first: PricedEvent, second: PricedEvent, sources: ImportSources): ImportRow {
  const [gave, got] = first.sent_amount === null ? [second, first] : [first, second];
  const row = eventRow(got, sources.context, sources.decisions);
  const valued = row.priceMissing ? eventRow(gave, sources.context, sources.decisions) : row;
  return {
    row,
    kind: 'trade',
    sent: coin(gave.sent_amount, gave.sent_denom, sources),
    received: coin(got.received_amount, got.received_denom, sources),
    valueUsd: shownValue(valued),
  };
}

/** Returns undefined if the row is omitted. */
function kindOf(row: EventRow, event: PricedEvent, { context, decisions }: ImportSources): Kind | undefined {
  if (decisionOf(decisions.assets, event)?.mode === 'exclude')
    return event.received_denom === context.rules.nativeDenom ? 'ignore' : 'excluded';
  if (row.userTag !== '') return row.userTag as Kind;
  const { kind } = row.category;
  if (kind === 'inside') return undefined;
  // The other half of the swap belongs to another wallet.
  if (kind === 'trade' && event.received_amount === null) return 'sale';
  if (kind === 'trade' && event.sent_amount === null) return 'purchase';
  return kind === 'transfer' && event.to_own_key ? 'own_key' : kind;
}

function coin(
  units: bigint | null,
  denom: string | null,
  { context, unlisted }: ImportSources,
): ImportCoin | undefined {
  if (units === null || units === 0n || denom === null) return undefined;
  const { symbol, decimals } = context.rules.denomination(denom);
  return {
    ...{ units, denom, symbol, decimals },
    // numbers are known only after all wallets have been read
    get unlisted() {
      return unlisted.numberOf(denom);
    },
  };
}

/** Merges wallets by time, then by wallet order. Passes pauses on. */
export function* inOrderOfTime(
  wallets: readonly Generator<ImportRow | undefined, void, undefined>[],
): Generator<ImportRow | undefined, void, undefined> {
  const heads: (ImportRow | undefined)[] = [];
  function* advance(i: number) {
    let next = wallets[i]!.next();
    for (; !next.done && next.value === undefined; next = wallets[i]!.next()) yield undefined;
    heads[i] = next.done ? undefined : next.value;
  }
  for (const i of wallets.keys()) yield* advance(i);
  for (;;) {
    let first = -1;
    heads.forEach((head, i) => {
      if (head && (first < 0 || head.row.event.time < heads[first]!.row.event.time)) first = i;
    });
    if (first < 0) return;
    yield heads[first];
    yield* advance(first);
  }
}
