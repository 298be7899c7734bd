/**
 * One row of /events: what the chain says of it (PricedEvent) and what that means, and the list of its published fields,
 * from which JSON, CSV and the OpenAPI test are made. Field names and order: specification "Event fields", then the
 * additive members of decision A2.
 */
import type { Category, PricedEvent } from '../../schemas/types.generated.js';
import { formatDecimal, PRICE_DECIMALS, valueInCents } from './amount.js';
import { escapeText } from './exact-json.js';
import type { Rules } from './rules.js';

/** A priced event with what it means for tax. */
export interface EventRow {
  readonly event: PricedEvent;
  readonly category: Category;
  readonly rules: Rules;
  /** The tag the caller put on it, or ''. */
  readonly userTag: string;
  readonly taxable: boolean;
  /** The account its income goes to, or undefined when receiving it is no income. */
  readonly incomeAccount: string | undefined;
  /** Worth of what the row moved, in cents; 0 where no price was published. */
  readonly value: bigint;
  /** micro-USD of the denom that was valued; 0 where no price was published. */
  readonly price: bigint;
  readonly priceMissing: boolean;
}

/** The meaning of an event by its category alone: no tag, no asset decision. */
export function eventRow(event: PricedEvent, rules: Rules): EventRow {
  const category = rules.category(event.category);
  const worth = worthOf(event, rules);
  return {
    event,
    category,
    rules,
    userTag: '',
    taxable: category.taxable && !(event.to_own_key && category.out_to_own_key !== undefined),
    incomeAccount: event.received_amount !== null && category.in?.income ? category.in.account : undefined,
    ...worth,
  };
}

const NO_PRICE = { value: 0n, price: 0n, priceMissing: true } as const;
const NOTHING = { value: 0n, price: 0n, priceMissing: false } as const;

/** What was received counts before what was given for it (a swap), and that before the fee (which is a row of its own). */
function worthOf(e: PricedEvent, rules: Rules): Pick<EventRow, 'value' | 'price' | 'priceMissing'> {
  const worth = (amount: bigint, denom: string, price: bigint) => ({
    value: valueInCents(amount, rules.denomination(denom).decimals, price),
    price,
    priceMissing: false,
  });
  if (e.received_amount !== null && e.received_price !== null)
    return worth(e.received_amount, e.received_denom!, e.received_price);
  if (e.sent_amount !== null && e.sent_price !== null) return worth(e.sent_amount, e.sent_denom!, e.sent_price);
  if (e.fee_amount !== null && e.fee_price !== null) return worth(e.fee_amount, e.fee_denom!, e.fee_price);
  return e.received_amount === null && e.sent_amount === null && e.fee_amount === null ? NOTHING : NO_PRICE;
}

/**
 * How a field is written: text and decimal are JSON strings (a decimal is a number in text, which a spreadsheet may read as
 * one), number and boolean are JSON literals.
 */
export type FieldKind = 'text' | 'decimal' | 'number' | 'boolean';

export interface Field<Row> {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value as text: plain decimals, true or false, or the text itself. */
  readonly of: (row: Row) => string;
}

const amount = (units: bigint | null, denom: string | null, rules: Rules) =>
  units === null ? '' : formatDecimal(units, rules.denomination(denom!).decimals);
const symbol = (denom: string | null, rules: Rules) => (denom === null ? '' : rules.denomination(denom).symbol);

/** The members of an event, in the order of JSON and CSV. */
export const EVENT_FIELDS: readonly Field<EventRow>[] = [
  { name: 'date', kind: 'text', of: (r) => r.event.time },
  { name: 'sentAmount', kind: 'decimal', of: (r) => amount(r.event.sent_amount, r.event.sent_denom, r.rules) },
  { name: 'sentCurrency', kind: 'text', of: (r) => symbol(r.event.sent_denom, r.rules) },
  {
    name: 'receivedAmount',
    kind: 'decimal',
    of: (r) => amount(r.event.received_amount, r.event.received_denom, r.rules),
  },
  { name: 'receivedCurrency', kind: 'text', of: (r) => symbol(r.event.received_denom, r.rules) },
  { name: 'feeAmount', kind: 'decimal', of: (r) => amount(r.event.fee_amount, r.event.fee_denom, r.rules) },
  { name: 'feeCurrency', kind: 'text', of: (r) => symbol(r.event.fee_denom, r.rules) },
  { name: 'label', kind: 'text', of: (r) => r.category.label },
  { name: 'description', kind: 'text', of: (r) => r.category.description },
  { name: 'txHash', kind: 'text', of: (r) => r.event.tx_hash },
  { name: 'category', kind: 'text', of: (r) => r.event.category },
  { name: 'taxable', kind: 'boolean', of: (r) => (r.taxable ? 'true' : 'false') },
  { name: 'detail', kind: 'text', of: (r) => r.event.detail },
  { name: 'userTag', kind: 'text', of: (r) => r.userTag },
  { name: 'validatorAddress', kind: 'text', of: (r) => r.event.validator ?? '' },
  { name: 'validatorMoniker', kind: 'text', of: () => '' },
  { name: 'rewardTrigger', kind: 'text', of: (r) => r.event.reward_trigger ?? '' },
  { name: 'valueUsd', kind: 'number', of: (r) => formatDecimal(r.value, 2) },
  { name: 'address', kind: 'text', of: (r) => r.event.address },
  { name: 'id', kind: 'text', of: (r) => r.event.id },
  { name: 'counterparty', kind: 'text', of: (r) => r.event.counterparty ?? '' },
  { name: 'height', kind: 'number', of: (r) => String(r.event.height) },
  { name: 'sentDenom', kind: 'text', of: (r) => r.event.sent_denom ?? '' },
  { name: 'receivedDenom', kind: 'text', of: (r) => r.event.received_denom ?? '' },
  { name: 'feeDenom', kind: 'text', of: (r) => r.event.fee_denom ?? '' },
  { name: 'priceUsd', kind: 'number', of: (r) => formatDecimal(r.price, PRICE_DECIMALS) },
  { name: 'priceMissing', kind: 'boolean', of: (r) => (r.priceMissing ? 'true' : 'false') },
];

const isString = (kind: FieldKind) => kind === 'text' || kind === 'decimal';

/** The text of a row cut at its values: what stands before each one, and what ends the last. Values go to the odd places. */
const pieces: string[] = ['{'];
const values = EVENT_FIELDS.map(({ name, kind, of }, i) => {
  const mark = isString(kind) ? '"' : '';
  pieces[2 * i] += `${i === 0 ? '' : ','}"${name}":${mark}`;
  pieces.push('', mark);
  return { place: 2 * i + 1, escaped: kind === 'text', of };
});
pieces[pieces.length - 1] += '}';

/**
 * The row as JSON text, written directly: a wallet may have tens of thousands of them. Joined rather than added up, since
 * V8 would keep every added string as a tree of its parts until somebody reads it: five times the time on a large wallet.
 */
export function eventJson(row: EventRow): string {
  for (const { place, escaped, of } of values) {
    const value = of(row);
    pieces[place] = escaped ? escapeText(value) : value;
  }
  return pieces.join('');
}
