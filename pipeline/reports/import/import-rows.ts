/**
 * Import rows: a wallet's history for programs that count holdings from rows. They are the rows of /events but for those that only move
 * coins inside what the wallet holds; the two rows of a swap are one, and what is excluded or came back is left out, also when it leaves.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { formatCents, valueInCents } from '../../ledger/amount.js';
import type { Decisions } from '../../ledger/decisions/decisions.js';
import type { OpeningHoldings } from '../../ledger/opening/opening-coins.js';
import type { Rules } from '../../ledger/rules.js';
import { type Partners, pairSwapLegs } from '../../ledger/swap-legs.js';
import { decisionOf } from '../../ledger/treatment.js';
import { type EventRow, eventRow, type RowContext } from '../event-row.js';
import type { ImportCoin, ImportRow } from './import-row.js';
import { type Crossing, InnerMoves } from './inner-moves.js';
import type { Kind } from './kind.js';
import type { UnlistedDenoms } from './unlisted-denoms.js';
import { UntoldCoins } from './untold-coins.js';

export interface ImportSources {
  readonly context: RowContext;
  readonly decisions: Decisions;
  /** Denoms of no registry, one list for all that goes into a file. */
  readonly unlisted: UnlistedDenoms;
  /** Coins of the wallet from before the index. */
  readonly opening: OpeningHoldings;
  /** Tells whether the file has rows of a kind. */
  readonly isTold: (kind: Kind) => boolean;
  /** First and last second that is exported, YYYY-MM-DD HH:MM:SS; the rows before decide what was deposited, and what was left out. */
  readonly range: { readonly from: string; readonly to: string };
}

/** Events between two pauses. */
const EVENTS_AT_ONCE = 100;

/**
 * Makes the import rows of one wallet in the chain's order.
 * @param events gives the wallet's rows from its first to its last, anew at each call
 * @returns rows, and undefined now and then, so that a long wallet leaves others their turn
 */
export function* importRows(
  events: () => Iterable<PricedEvent>,
  sources: ImportSources,
): Generator<ImportRow | undefined, void, undefined> {
  const { rules } = sources.context;
  const moves = new InnerMoves(rules, sources.decisions);
  const untold = new UntoldCoins(sources.opening, (units, denom) => coin(units, denom, sources));
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
      // The second half of a swap went out with the first.
      if (!partners.has(partner.id)) continue;
    }
    const row = partner ? swapRow(event, partner, sources) : importRow(event, crossing, sources);
    const got = partner && event.received_amount === null ? partner : event;
    const arrived = { denom: got.received_denom, units: partner ? got.received_amount! : crossing.received };
    const told = row && (sources.isTold(row.kind) ? untold.tell(row, arrived) : untold.leaveOut(row, arrived));
    if (told && event.time >= sources.range.from) yield told;
  }
}

function importRow(event: PricedEvent, crossing: Crossing, sources: ImportSources): ImportRow | undefined {
  const { rules } = sources.context;
  const row = eventRow(event, sources.context, sources.decisions);
  const kind = kindOf(row, event, sources);
  if (kind === undefined) return undefined;
  const { event: shown } = row;
  // An override says what was received; nothing of such a receipt is a deposit that came back.
  const received = crossing.received === event.received_amount ? shown.received_amount : crossing.received;
  const coins = {
    sent: coin(shown.fee_amount ?? crossing.sent, shown.fee_denom ?? shown.sent_denom, sources),
    received: coin(received, shown.received_denom, sources),
  };
  if (!coins.sent && !coins.received) return undefined;
  const isPart = crossing.received !== (event.received_amount ?? 0n) || crossing.sent !== (event.sent_amount ?? 0n);
  // A stated value is that of the part: the override holds for what exceeds a deposit (decision R7).
  const isShare = isPart && row.valueStatus !== 'stated';
  return { row, kind, ...coins, valueUsd: isShare ? partValue(row, coins, rules) : shownValue(row) };
}

const shownValue = ({ value, priceMissing }: EventRow) => (priceMissing ? '' : formatCents(value));

/** Worth of a row of which only a part crosses. */
function partValue(row: EventRow, { sent, received }: Pick<ImportRow, 'sent' | 'received'>, rules: Rules): string {
  const { units, denom } = (received ?? sent)!;
  return row.priceMissing ? '' : formatCents(valueInCents(units, rules.denomination(denom).decimals, row.price));
}

/** Both halves of a swap as one row, at the place of the first. */
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

/** The kind of a row under the caller's decisions; undefined for one that is left out. */
function kindOf(row: EventRow, event: PricedEvent, { context, decisions }: ImportSources): Kind | undefined {
  if (decisionOf(decisions.assets, event)?.mode === 'exclude')
    return event.received_denom === context.rules.nativeDenom ? 'ignore' : 'excluded';
  if (row.userTag !== '') return row.userTag as Kind;
  const { kind } = row.category;
  if (kind === 'inside') return undefined;
  // Half a swap whose other half is no row of this wallet.
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
    // It is known once every wallet's rows are read, which is before the first row of any is written.
    get unlisted() {
      return unlisted.numberOf(denom);
    },
  };
}

/** Import rows of several wallets in the order of time, those of one second in the order of the wallets; pauses are passed on. */
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
