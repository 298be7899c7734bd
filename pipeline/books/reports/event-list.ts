import type { Category, Coverage } from '../../../schemas/types.generated.js';
import { ExactNumber, toJson } from '../../base/json/exact-json.js';
import { formatDecimal } from '../../base/values/amount.js';
import type { Rules } from '../ledger/rules.js';
import type { EventRow } from './event-row.js';

export type EventType = 'all' | Category['groups'][number];

/**
 * Returns true if the row is of this type. A row with an income tag has the type `income`, whatever its category is.
 */
export function isOfType(row: EventRow, type: EventType): boolean {
  if (type === 'all' || row.category.groups.includes(type)) return true;
  return type === 'income' && row.userTag !== '' && row.incomeAccount !== undefined;
}

export interface EventListHead {
  readonly type: EventType;
  readonly addresses: readonly string[];
  readonly start: string | null;
  readonly end: string | null;
  readonly methodologyVersion: string;
}

export const STAKING_INCOME = 'Income: Staking Rewards';

/**
 * Sums the rows of /events (decision A3): coins in base units of the native coin, and income in cents. Moves within the
 * wallet count neither as received nor as sent. A deposit counts as sent, and its refund as received. A burned deposit
 * does not count as sent again.
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

/**
 * Returns true if a row moves no coins out of the wallet. This includes a burned deposit, because its coins left
 * earlier, when they were deposited.
 */
function staysInside(category: Category): boolean {
  if (category.effect !== undefined) return category.effect === 'move';
  return (!category.in && !category.out) || category.out?.act === 'burn-deposit';
}

/** Returns the JSON before the first row. */
export function openEventList(
  { type, addresses, start, end, methodologyVersion }: EventListHead,
  summary: EventSummary,
  rules: Rules,
  coverage: Coverage,
): string {
  const request = { chain: rules.chainId, type, addresses, start, end };
  const head = JSON.stringify({ ...request, methodology_version: methodologyVersion, coverage });
  const sums = toJson({ summary: summary.toObject(), count: summary.rows });
  return `${head.slice(0, -1)},${sums.slice(1, -1)},"events":[`;
}
