/**
 * Exports a wallet's history to tax programs. Unlike /events, the export omits moves within the wallet, excluded
 * receipts and refunded packets. It combines the two rows of a swap.
 */
import type { Category, PricedEvent } from '../../../../schemas/types.generated.js';
import { formatCents, valueInCents } from '../../../base/values/amount.js';
import { type DecidedRow, decideAll } from '../../ledger/decided-row.js';
import type { Decisions } from '../../ledger/decisions.js';
import { type Partners, pairSwapLegs } from '../../ledger/legs.js';
import type { OpeningHoldings } from '../../ledger/opening-coins.js';
import { type OpeningLot, openingRow, unstatedCoins } from '../../ledger/opening-lots.js';
import { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { linkKey } from '../../ledger/wallet.js';
import { type EventRow, type Kind, type RowContext, walletRows } from '../event-row.js';

export interface ImportCoin {
  /** Base units, above zero. */
  readonly units: bigint;
  readonly denom: string;
  readonly symbol: string;
  readonly decimals: number;
  /** For a denom that the asset registry does not list: its number, from 1. Undefined for listed denoms. */
  readonly unlisted: number | undefined;
}

export interface ImportRow {
  readonly row: EventRow;
  readonly kind: Kind;
  /** The sent coin or, for kind `fee`, the fee. */
  readonly sent: ImportCoin | undefined;
  readonly received: ImportCoin | undefined;
  /** USD with two decimals; '' if unknown or below half a cent, because programs read 0.00 as worthless. */
  readonly value: string;
}

export interface ImportedWallet {
  events(): Iterable<PricedEvent>;
  readonly opening: OpeningHoldings;
  /** Opening coins to export as receipts. */
  readonly receipts?: OpeningReceipts | undefined;
}

export interface OpeningReceipts {
  readonly address: string;
  /** The first indexed day, YYYY-MM-DD. Opening coins without a stated lot get this day. */
  readonly day: string;
  readonly lots: readonly OpeningLot[];
}

export interface ImportOptions {
  readonly context: RowContext;
  readonly decisions: Decisions;
  readonly isIncluded: (kind: Kind) => boolean;
  /** First and last exported second. Earlier rows are read too, because later rows depend on earlier deposits. */
  readonly range: { readonly from: string; readonly to: string };
}

interface ImportSources extends ImportOptions {
  /** Makes the rows of the wallet that is being read. */
  readonly rowOf: (event: PricedEvent) => EventRow;
  readonly unlisted: UnlistedDenoms;
}

/** Yields the rows of all wallets in order of time. At equal times, rows are in the order of the wallets. */
export function* importRows(
  wallets: readonly ImportedWallet[],
  options: ImportOptions,
): Generator<ImportRow, void, undefined> {
  const { context, decisions } = options;
  const unlisted = new UnlistedDenoms(context.rules);
  const rows = wallets.map((wallet) => rowsOf(wallet, { ...options, unlisted, rowOf: walletRows(context, decisions) }));
  const heads = rows.map((ofWallet) => ofWallet.next().value ?? undefined);
  for (;;) {
    let first = -1;
    heads.forEach((head, i) => {
      if (head && (first < 0 || head.row.event.time < heads[first]!.row.event.time)) first = i;
    });
    if (first < 0) return;
    yield heads[first]!;
    heads[first] = rows[first]!.next().value ?? undefined;
  }
}

function* rowsOf(wallet: ImportedWallet, sources: ImportSources): Generator<ImportRow, void, undefined> {
  const { events, opening } = wallet;
  const { rules } = sources.context;
  const refunds = new Refunds();
  const moves = new InnerMoves(refunds);
  const unreported = new UnreportedCoins(opening, (units, denom) => coin(units, denom, sources));
  let first: string | undefined;
  const decided = () => decideAll(events(), sources.decisions, rules);
  for (const row of decided()) {
    first ??= row.event.time;
    refunds.note(row);
    sources.unlisted.note(row.event);
  }
  yield* openingRows(wallet, first, sources);
  const partners: Partners = new Map();
  for (const given of pairSwapLegs(decided(), rules, partners)) {
    const { event } = given;
    if (event.time > sources.range.to) return;
    const crossing = moves.crossing(given);
    const partner = partners.get(event.id)?.event;
    if (partner) {
      partners.delete(event.id);
      // The row was already exported together with the swap's first half.
      if (!partners.has(partner.id)) continue;
    }
    const row = partner ? swapRow(event, partner, sources) : importRow(given, crossing, sources);
    const got = partner && event.received_amount === null ? partner : event;
    const arrived = { denom: got.received_denom, units: partner ? got.received_amount! : crossing.received };
    const included =
      row && (sources.isIncluded(row.kind) ? unreported.include(row, arrived) : unreported.omit(row, arrived));
    if (included && event.time >= sources.range.from) yield included;
  }
}

const OPENING: Category = {
  category: 'opening_lot',
  groups: [],
  taxable: false,
  kind: 'transfer',
  label: 'Held before the index',
  description: 'Coins held before the first indexed block.',
  sentence: 'This wallet held {received} before the index.',
};

/**
 * Returns a receipt for each denom held before the index, and for each stated lot, with its day and cost. Only the file
 * that contains the wallet's first row has these receipts. So exactly one of several yearly files contains them.
 * @param first time of the wallet's first row; undefined if the wallet has none
 */
function openingRows(
  { opening, receipts }: ImportedWallet,
  first: string | undefined,
  sources: ImportSources,
): ImportRow[] {
  if (!receipts) return [];
  const { address, day, lots } = receipts;
  const time = first ?? `${day} 00:00:00`;
  if (time < sources.range.from || time > sources.range.to) return [];
  const stated = [...lots].sort((a, b) => (a.acquired < b.acquired ? -1 : a.acquired > b.acquired ? 1 : 0));
  const unstated = [...unstatedCoins(opening, lots)].filter(([, quantity]) => quantity > 0n);
  const coins = [...stated, ...unstated.map(([denom, quantity]) => ({ denom, quantity, acquired: day, basis: null }))];
  return coins.map(({ denom, quantity, acquired, basis }, i): ImportRow => {
    const row = openingRow(address, i, acquired);
    // The coins came by no transaction, but some programs require a hash. So the row id replaces it.
    const event = { ...row, tx_hash: row.id, received_denom: denom, received_amount: quantity };
    sources.unlisted.note(event);
    const worth = { value: basis ?? 0n, price: 0n, priceMissing: basis === null, valueStatus: 'stated' } as const;
    const { rules } = sources.context;
    const plain = { moniker: '', userTag: '', taxable: false, incomeAccount: undefined };
    return {
      row: { event, category: OPENING, rules, ...plain, ...worth },
      kind: basis === null ? 'transfer' : 'purchase',
      sent: undefined,
      received: coin(quantity, denom, sources),
      value: basis === null ? '' : formatCents(basis),
    };
  });
}

function importRow(decided: DecidedRow, crossing: Crossing, sources: ImportSources): ImportRow | undefined {
  const { event } = decided;
  const { rules } = sources.context;
  const row = sources.rowOf(event);
  const kind = kindOf(row, decided, sources);
  if (kind === undefined) return undefined;
  const { event: shown } = row;
  // If all received coins are new to the wallet, exports the amount that the caller stated. Otherwise exports only the
  // new part.
  const received = crossing.received === event.received_amount ? shown.received_amount : crossing.received;
  const coins = {
    sent: coin(shown.fee_amount ?? crossing.sent, shown.fee_denom ?? shown.sent_denom, sources),
    received: coin(received, shown.received_denom, sources),
  };
  if (!coins.sent && !coins.received) return undefined;
  const isPart = crossing.received !== (event.received_amount ?? 0n) || crossing.sent !== (event.sent_amount ?? 0n);
  // A value that the caller stated already applies only to the part that exceeds a deposit (decision R7).
  const isShare = isPart && row.valueStatus !== 'stated';
  return { row, kind, ...coins, value: isShare ? partValue(row, coins, rules) : shownValue(row) };
}

const shownValue = (row: EventRow) => shownCents(row.value, row);

function partValue(row: EventRow, { sent, received }: Pick<ImportRow, 'sent' | 'received'>, rules: Rules): string {
  const { units, denom } = (received ?? sent)!;
  return shownCents(valueInCents(units, rules.denomination(denom).decimals, row.price), row);
}

/** Formats a value of the row or of a part of it. Only coins that their owner declared worthless are worth 0.00. */
function shownCents(cents: bigint, { value, valueStatus, priceMissing }: EventRow): string {
  const isDeclared = valueStatus === 'stated' || valueStatus === 'excluded';
  const isWorthless = value === 0n && isDeclared;
  return priceMissing || (cents === 0n && !isWorthless) ? '' : formatCents(cents);
}

function swapRow(first: PricedEvent, second: PricedEvent, sources: ImportSources): ImportRow {
  const [gave, got] = first.sent_amount === null ? [second, first] : [first, second];
  const row = sources.rowOf(got);
  const given = sources.rowOf(gave);
  const isGivenValued = row.priceMissing || (given.valueStatus === 'stated' && row.valueStatus !== 'stated');
  return {
    row,
    kind: 'trade',
    sent: coin(gave.sent_amount, gave.sent_denom, sources),
    received: coin(got.received_amount, got.received_denom, sources),
    value: shownValue(isGivenValued ? given : row),
  };
}

function kindOf(row: EventRow, { event, isExcluded }: DecidedRow, { context }: ImportSources): Kind | undefined {
  if (isExcluded) return event.received_denom === context.rules.nativeDenom ? 'ignore' : 'excluded';
  if (row.isReturn) return 'own_transfer';
  if (row.userTag !== '') return row.userTag as Kind;
  const { kind } = row.category;
  if (kind === 'inside') return undefined;
  // If only one half of a swap is in this wallet, it is exported as a sale or a purchase.
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
    get unlisted() {
      return unlisted.numberOf(denom);
    },
  };
}

type Place = Pick<PricedEvent, 'height' | 'position'>;

const order = (a: Place, b: Place) => a.height - b.height || a.position - b.position;

/**
 * Numbers unlisted denoms by their first occurrence in the wallets, so that the files of all years use the same
 * numbers.
 */
class UnlistedDenoms {
  private readonly first = new Map<string, Place>();
  private numbers: ReadonlyMap<string, number> | undefined;

  constructor(private readonly rules: Rules) {}

  note(event: PricedEvent): void {
    for (const denom of [event.sent_denom, event.received_denom]) {
      if (denom === null || this.rules.denomOf(denom) !== undefined) continue;
      const first = this.first.get(denom);
      if (first && order(first, event) <= 0) continue;
      this.first.delete(denom);
      this.first.set(denom, event);
    }
  }

  numberOf(denom: string): number | undefined {
    this.numbers ??= new Map([...this.first].sort(([, a], [, b]) => order(a, b)).map(([name], i) => [name, i + 1]));
    return this.numbers.get(denom);
  }
}

/** Base units that leave or enter the wallet. Coins that the wallet deposited count as still in the wallet. */
interface Crossing {
  readonly sent: bigint;
  readonly received: bigint;
}

/**
 * Finds coins that move between the wallet and its deposits, and IBC packets that were refunded in any year. The export
 * omits both.
 */
class InnerMoves {
  /** Deposited base units by counterparty and denom. */
  private readonly deposits = new Map<string, bigint>();

  constructor(private readonly refunds: Refunds) {}

  /** Returns the coins that leave or enter the wallet in this event. Must be called in chain order. */
  crossing(row: DecidedRow): Crossing {
    return { sent: this.crossingOut(row), received: this.crossingIn(row) };
  }

  private crossingOut({ event, out }: DecidedRow): bigint {
    const { id, sent_amount: amount, sent_denom: denom } = event;
    if (amount === null) return 0n;
    const act = out?.treatment.act;
    const key = linkKey(event.counterparty ?? '', denom!);
    const held = this.deposits.get(key) ?? 0n;
    if (act === 'deposit') {
      this.deposits.set(key, held + amount);
      return 0n;
    }
    if (act === 'burn-deposit') return this.release(key, amount);
    return this.refunds.isRefunded(id) ? 0n : amount;
  }

  private crossingIn({ event, in: incoming }: DecidedRow): bigint {
    const { id, received_amount: amount, received_denom: denom } = event;
    if (amount === null || this.refunds.isRefund(id)) return 0n;
    if (incoming?.treatment.act !== 'withdraw') return amount;
    return amount - this.release(linkKey(event.counterparty ?? '', denom!), amount);
  }

  private release(key: string, amount: bigint): bigint {
    const held = this.deposits.get(key) ?? 0n;
    const taken = held < amount ? held : amount;
    this.deposits.set(key, held - taken);
    return taken;
  }
}

/** Coins received on chain, regardless of decisions. */
interface Arrived {
  readonly denom: string | null;
  /** Base units. */
  readonly units: bigint;
}

type Units = Map<string | null, bigint>;

const add = (sums: Units, denom: string | null, units: bigint) => sums.set(denom, (sums.get(denom) ?? 0n) + units);
const least = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Tracks coins whose receipt is not in the export, such as excluded receipts. Their sale is left out too, because the
 * importing program's balance would otherwise become negative. Coins in the export count as sold first.
 */
class UnreportedCoins {
  private readonly unreported: Units = new Map();
  /** Balances that the importing program computes from the export. */
  private readonly reported: Units;

  /**
   * @param opening base units held before the index; the importing program may already have them
   * @param coinOf returns undefined for zero units
   */
  constructor(
    opening: OpeningHoldings,
    private readonly coinOf: (units: bigint, denom: string) => ImportCoin | undefined,
  ) {
    this.reported = new Map(opening ?? []);
  }

  omit({ sent }: ImportRow, { denom, units }: Arrived): undefined {
    add(this.unreported, denom, units);
    if (sent) this.consume(sent.denom, sent.units);
  }

  /** Returns the row without the coins whose receipt is not in the export; undefined if nothing remains. */
  include(row: ImportRow, { denom, units }: Arrived): ImportRow | undefined {
    const sent = this.reportedPart(row.sent);
    const received = row.kind === 'exchange' ? this.convertedPart(sent, row) : row.received;
    if (received) add(this.reported, received.denom, received.units);
    const here = received?.denom === denom ? received.units : 0n;
    if (here < units) add(this.unreported, denom, units - here);
    if (sent === row.sent) return row;
    if (!sent && !received) return undefined;
    if (!received) return { ...row, sent, value: reportedValue(row, sent!) };
    return { ...row, sent, received, ...(row.kind === 'trade' && !sent && { kind: 'purchase' }) };
  }

  private reportedPart(sent: ImportCoin | undefined): ImportCoin | undefined {
    if (!sent) return undefined;
    const held = this.reported.get(sent.denom) ?? 0n;
    const beyond = held < 0n ? sent.units : sent.units - least(sent.units, held);
    const units = sent.units - this.consume(sent.denom, beyond);
    add(this.reported, sent.denom, -units);
    return units === sent.units ? sent : this.coinOf(units, sent.denom);
  }

  private convertedPart(reported: ImportCoin | undefined, { sent, received }: ImportRow): ImportCoin | undefined {
    if (reported === sent || !sent || !received) return received;
    return this.coinOf((received.units * (reported?.units ?? 0n)) / sent.units, received.denom);
  }

  private consume(denom: string, units: bigint): bigint {
    const consumed = least(units, this.unreported.get(denom) ?? 0n);
    add(this.unreported, denom, -consumed);
    return consumed;
  }
}

const reportedValue = ({ value, row }: ImportRow, { units, decimals }: ImportCoin) =>
  value === '' ? '' : shownCents(valueInCents(units, decimals, row.price), row);
