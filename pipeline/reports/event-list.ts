/**
 * The answer of /events for given rows: type filter, summary and JSON text. The night stores the part that follows from the rows and
 * the server writes the same for everything that is not stored, so both are equal byte for byte.
 */
import type { Category, Coverage, PricedEvent } from '../../schemas/types.generated.js';
import { ExactNumber, toJson } from '../json/exact-json.js';
import { formatDecimal } from '../ledger/amount.js';
import type { Rules } from '../ledger/rules.js';
import { type EventRow, eventJson, eventRow, type RowContext } from './event-row.js';

/** A value of the parameter `type`: everything, or a group of data/reference/categories.json. */
export type EventType = 'all' | Category['groups'][number];

/** Tells whether a row belongs to a type; a row tagged as income is income whatever its category (decisions, "Types"). */
export function isOfType(row: EventRow, type: EventType): boolean {
  if (type === 'all' || row.category.groups.includes(type)) return true;
  return type === 'income' && row.userTag !== '' && row.incomeAccount !== undefined;
}

/** The request as the answer repeats it. */
export interface EventListHead {
  readonly type: EventType;
  readonly addresses: readonly string[];
  readonly start: string | null;
  readonly end: string | null;
}

/** Account of data/reference/categories.json whose income is what the summary calls staking rewards. */
export const STAKING_INCOME = 'Income: Staking Rewards';

/**
 * Sums of the listed rows (decision A3), all in base units of the native coin but incomeUsd. What a row only moves inside
 * the wallet (stake, unbonding, shares of one's own stake) is neither received nor sent; deposits and their refunds are,
 * since those coins are out of the wallet's hands meanwhile, and a deposit that is burned later is not sent a second time.
 */
export class EventSummary {
  private taxable = 0;
  private count = 0;
  private rewards = 0n;
  private income = 0n;
  private received = 0n;
  private sent = 0n;
  private fees = 0n;
  private first = '';
  private last = '';

  constructor(private readonly rules: Rules) {}

  /** Number of rows added. */
  get rows(): number {
    return this.count;
  }

  add(row: EventRow): void {
    const e = row.event;
    const native = this.rules.nativeDenom;
    this.count++;
    if (row.taxable) this.taxable++;
    if (row.incomeAccount !== undefined) this.income += row.value;
    if (e.received_denom === native && row.incomeAccount === STAKING_INCOME) this.rewards += e.received_amount!;
    if (!staysInside(row.category)) {
      if (e.received_denom === native) this.received += e.received_amount!;
      if (e.sent_denom === native) this.sent += e.sent_amount!;
    }
    if (e.fee_denom === native) this.fees += e.fee_amount!;
    if (this.first === '' || e.time < this.first) this.first = e.time;
    if (e.time > this.last) this.last = e.time;
  }

  /** The member `summary`, in the specification's order. */
  toObject(): Record<string, unknown> {
    const { symbol, decimals } = this.rules.denomination(this.rules.nativeDenom);
    const coins = (units: bigint) => new ExactNumber(formatDecimal(units, decimals));
    return {
      taxableEvents: this.taxable,
      stakingRewards: coins(this.rewards),
      incomeUsd: new ExactNumber(formatDecimal(this.income, 2)),
      totalReceived: coins(this.received),
      totalSent: coins(this.sent),
      totalFees: coins(this.fees),
      symbol,
      firstDate: this.first,
      lastDate: this.last,
    };
  }
}

/** Coins that the row leaves in the wallet's own holdings, or that had left them before (a burned deposit). */
function staysInside(category: Category): boolean {
  if (category.effect !== undefined) return category.effect === 'move';
  return (!category.in && !category.out) || category.out?.act === 'burn-deposit';
}

/** Everything of the JSON answer before its first row. */
export const openEventList = (head: EventListHead, summary: EventSummary, rules: Rules, coverage: Coverage): string =>
  eventListHead(head, rules, coverage) + openRows(summary);

/** The part of the JSON answer that follows from the request and the generation: what is asked, and what it rests on. */
export function eventListHead(
  { type, addresses, start, end }: EventListHead,
  rules: Rules,
  coverage: Coverage,
): string {
  return `${toJson({ chain: rules.chainId, type, addresses, start, end, coverage }).slice(0, -1)},`;
}

/** The part of the JSON answer between its head and its first row. */
const openRows = (summary: EventSummary): string =>
  `${toJson({ summary: summary.toObject(), count: summary.rows }).slice(1, -1)},"events":[`;

/**
 * The part of the answer that the night stores: everything behind the head, for every row of one wallet.
 * @param events the wallet's priced events by height and position
 */
export function storedEventList(events: Iterable<PricedEvent>, context: RowContext): string {
  const summary = new EventSummary(context.rules);
  const texts: string[] = [];
  for (const event of events) {
    const row = eventRow(event, context);
    summary.add(row);
    texts.push(eventJson(row));
  }
  return `${openRows(summary)}${texts.join(',')}]}`;
}
