/**
 * One row of /events: what the chain says of it (PricedEvent) and what that means, and the list of its published fields,
 * from which JSON, CSV and the OpenAPI test are made. Field names and order: specification "Event fields", then the
 * additive members of decision A2.
 */
import type { Category, PricedEvent } from '../../schemas/types.generated.js';
import { formatDecimal, PRICE_DECIMALS, unitPrice, valueInCents } from '../ledger/amount.js';
import type { Exclusion, Override } from '../ledger/decisions/asset-decisions.js';
import { type Decisions, noDecisions } from '../ledger/decisions/decisions.js';
import { overriddenCoin } from '../ledger/receipt.js';
import type { Rules } from '../ledger/rules.js';
import { type Applied, appliedTreatment, decisionOf, mayMakeLot } from '../ledger/treatment.js';
import { fieldsOf, fillSentence, jsonWriter } from './field.js';
import { labelOf } from './label.js';

/** The rules and names that rows are made with. */
export interface RowContext {
  readonly rules: Rules;
  /** Finds the name of a validator as the generation knows it; empty where nobody knows. */
  monikerOf(operator: string): string;
}

/** Origin of a row's worth. */
export type ValueStatus = 'priced' | 'stated' | 'below_half_cent' | 'no_price' | 'excluded' | 'nothing';

/** Sentence that a status adds to the row's. */
const WORTH: Readonly<Record<ValueStatus, string>> = {
  priced: '',
  stated: ' Its value is stated by your decision.',
  below_half_cent: ' It is worth less than half a cent.',
  no_price: ' No price was published for that day.',
  excluded: ' It is excluded by your decision, and counts as worth nothing.',
  nothing: '',
};

/** A priced event with what it means for tax under the caller's decisions. */
export interface EventRow {
  /** The event as the chain has it, but for what an override says was received. */
  readonly event: PricedEvent;
  readonly category: Category;
  readonly rules: Rules;
  /** Name of the validator concerned, or ''. */
  readonly moniker: string;
  /** The tag the caller put on it, or ''. */
  readonly userTag: string;
  readonly taxable: boolean;
  /** The account its income goes to, or undefined when receiving it is no income. */
  readonly incomeAccount: string | undefined;
  /** Worth of what the row moved, in cents; 0 where it is unknown. */
  readonly value: bigint;
  /** micro-USD for one displayed unit of the denom that was valued; 0 where neither a day nor an override says it. */
  readonly price: bigint;
  /** The worth is unknown for lack of a price. */
  readonly priceMissing: boolean;
  /** Origin of the worth: it tells a value that rounds to nothing from one that nobody knows. */
  readonly valueStatus: ValueStatus;
  /** The row as JSON text, where it is kept with it. */
  readonly json?: string;
}

/**
 * Makes the row of an event. A category says whether its rows are taxable; a tag makes its row taxable exactly when the tag's
 * treatment is income or a disposal at market value; an excluded receipt is neither taxable nor worth anything.
 * @param decisions checked by tagIssues and decisionIssues against the same rows
 */
export function eventRow(
  event: PricedEvent,
  { rules, monikerOf }: RowContext,
  decisions: Decisions = noDecisions,
): EventRow {
  const category = rules.category(event.category);
  const incoming = appliedTreatment(event, 'in', decisions.tags, rules);
  const outgoing = appliedTreatment(event, 'out', decisions.tags, rules);
  const decision = mayMakeLot(event, rules) ? decisionOf(decisions.assets, event) : undefined;
  const excluded = decision?.mode === 'exclude';
  const moved = decision?.mode === 'override' ? overridden(event, decision, rules) : event;
  // An asset decision about a flagged receipt says what it was, not that it was income: only a tag does.
  const isPlain = decision === undefined || (decision.mode === 'override' && decision.keepsTreatment);
  const income = incoming?.treatment.income && !excluded && (isPlain || incoming.tag) ? incoming.treatment : undefined;
  const tag = incoming?.tag ?? outgoing?.tag;
  return {
    event: moved,
    category,
    rules,
    moniker: event.validator === null ? '' : monikerOf(event.validator),
    userTag: tag?.tag ?? '',
    taxable: !excluded && (tag ? income !== undefined || isTaggedDisposal(outgoing) : isTaxable(event, category)),
    incomeAccount: income?.account,
    ...(excluded ? EXCLUDED : (statedWorth(moved, decision, rules) ?? worthOf(moved, rules))),
  };
}

/** Coins sent to the owner's own key on another chain are a record only (D6). */
const isTaxable = (event: PricedEvent, category: Category) =>
  category.taxable && !(event.to_own_key && category.out_to_own_key !== undefined);

const isTaggedDisposal = (applied: Applied | undefined) => applied?.tag != null && applied.treatment.act === 'dispose';

function overridden(event: PricedEvent, override: Override, rules: Rules): PricedEvent {
  const { denom, quantity } = overriddenCoin(event, override, rules);
  const received_price = denom === event.received_denom ? event.received_price : (override.token_price ?? null);
  return { ...event, received_denom: denom, received_amount: quantity, received_price };
}

type Worth = Pick<EventRow, 'value' | 'price' | 'priceMissing' | 'valueStatus'>;

const EXCLUDED: Worth = { value: 0n, price: 0n, priceMissing: false, valueStatus: 'excluded' };
const NOTHING: Worth = { ...EXCLUDED, valueStatus: 'nothing' };
const UNKNOWN: Worth = { value: 0n, price: 0n, priceMissing: true, valueStatus: 'no_price' };

/** The worth of the receipt that an override states, and the price of one displayed unit that follows. */
function statedWorth(event: PricedEvent, decision: Exclusion | Override | undefined, rules: Rules): Worth | undefined {
  if (decision?.mode !== 'override' || decision.value_usd === undefined) return undefined;
  const { decimals } = rules.denomination(event.received_denom!);
  const price = unitPrice(decision.value_usd, event.received_amount!, decimals);
  return { value: decision.value_usd, price, priceMissing: false, valueStatus: 'stated' };
}

/**
 * Picks the leg that counts: what was received before what was given for it (a swap), and that before the fee (which is a row of
 * its own).
 */
function worthOf(e: PricedEvent, rules: Rules): Worth {
  const at = (amount: bigint, denom: string, price: bigint): Worth => {
    const value = valueInCents(amount, rules.denomination(denom).decimals, price);
    const isBelow = value === 0n && amount > 0n && price > 0n;
    return { value, price, priceMissing: false, valueStatus: isBelow ? 'below_half_cent' : 'priced' };
  };
  if (e.received_amount !== null && e.received_price !== null)
    return at(e.received_amount, e.received_denom!, e.received_price);
  if (e.sent_amount !== null && e.sent_price !== null) return at(e.sent_amount, e.sent_denom!, e.sent_price);
  if (e.fee_amount !== null && e.fee_price !== null) return at(e.fee_amount, e.fee_denom!, e.fee_price);
  return e.received_amount === null && e.sent_amount === null && e.fee_amount === null ? NOTHING : UNKNOWN;
}

const amount = (units: bigint | null, denom: string | null, rules: Rules) =>
  units === null ? '' : formatDecimal(units, rules.denomination(denom!).decimals);
const symbol = (denom: string | null, rules: Rules) => (denom === null ? '' : rules.denomination(denom).symbol);

/** Names that a sentence of a category may have in braces. */
type Slot = 'sent' | 'received' | 'fee' | 'validator' | 'counterparty';

const coin = (units: bigint | null, denom: string | null, rules: Rules) =>
  units === null ? '' : `${amount(units, denom, rules)} ${symbol(denom, rules)}`;

/** The text that a sentence has in place of a slot; '' where the row has none. */
function slotOf({ event, rules, moniker }: EventRow, slot: Slot): string {
  if (slot === 'validator') return moniker || (event.validator ?? '');
  if (slot === 'counterparty') return event.counterparty ?? '';
  return coin(event[`${slot}_amount`], event[`${slot}_denom`], rules);
}

/** The sentences about a row: that of its category, with the row's own amounts and names, and what decides its worth and treatment. */
function describe(row: EventRow): string {
  const { category, event, userTag, valueStatus } = row;
  const sentence = event.to_own_key ? (category.sentence_to_own_key ?? category.sentence) : category.sentence;
  const isTreatedByTag = userTag !== '' && valueStatus !== 'excluded';
  const tagged = isTreatedByTag ? ` It is treated as your tag ${userTag} says.` : '';
  return `${fillSentence(sentence, (slot) => slotOf(row, slot as Slot))}${tagged}${WORTH[valueStatus]}`;
}

const { text, word, decimal, number, boolean } = fieldsOf<EventRow>();

/** The members of an event, in the order of JSON and CSV. */
export const EVENT_FIELDS = [
  word('date', (r) => r.event.time),
  decimal('sentAmount', (r) => amount(r.event.sent_amount, r.event.sent_denom, r.rules)),
  text('sentCurrency', (r) => symbol(r.event.sent_denom, r.rules)),
  decimal('receivedAmount', (r) => amount(r.event.received_amount, r.event.received_denom, r.rules)),
  text('receivedCurrency', (r) => symbol(r.event.received_denom, r.rules)),
  decimal('feeAmount', (r) => amount(r.event.fee_amount, r.event.fee_denom, r.rules)),
  text('feeCurrency', (r) => symbol(r.event.fee_denom, r.rules)),
  word('label', labelOf),
  text('description', describe),
  word('txHash', (r) => r.event.tx_hash),
  word('category', (r) => r.event.category),
  boolean('taxable', (r) => (r.taxable ? 'true' : 'false')),
  text('detail', (r) => r.event.detail),
  word('userTag', (r) => r.userTag),
  text('validatorAddress', (r) => r.event.validator ?? ''),
  text('validatorMoniker', (r) => r.moniker),
  word('rewardTrigger', (r) => r.event.reward_trigger ?? ''),
  number('valueUsd', (r) => formatDecimal(r.value, 2)),
  word('address', (r) => r.event.address),
  word('id', (r) => r.event.id),
  text('counterparty', (r) => r.event.counterparty ?? ''),
  number('height', (r) => String(r.event.height)),
  text('sentDenom', (r) => r.event.sent_denom ?? ''),
  text('receivedDenom', (r) => r.event.received_denom ?? ''),
  text('feeDenom', (r) => r.event.fee_denom ?? ''),
  number('priceUsd', (r) => formatDecimal(r.price, PRICE_DECIMALS)),
  boolean('priceMissing', (r) => (r.priceMissing ? 'true' : 'false')),
  word('valueStatus', (r) => r.valueStatus),
  text('categoryLabel', (r) => r.category.label),
];

const writeJson = jsonWriter(EVENT_FIELDS);

/** A row as JSON text. */
export const eventJson = (row: EventRow): string => row.json ?? writeJson(row);

/** Makes the row of an event that nobody has decided about, with its JSON, to be listed many times. */
export function keptRow(event: PricedEvent, context: RowContext): EventRow & { readonly json: string } {
  const row = eventRow(event, context);
  return { ...row, json: writeJson(row) };
}
