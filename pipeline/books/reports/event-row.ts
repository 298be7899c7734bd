/**
 * One row of /events. JSON, CSV and the OpenAPI test use the same field list (EVENT_FIELDS). The labels are Koinly's,
 * so that Koinly can import the CSV after its headers are renamed.
 */

import type { Category, PricedEvent } from '../../../schemas/types.generated.js';
import { formatDecimal, halfUp, PRICE_DECIMALS, powerOfTen, valueInCents } from '../../base/values/amount.js';
import { UTC } from '../../base/values/zones.js';
import { IN_PRICES } from '../currencies/valuer.js';
import { type Applied, type DecidedRow, decide } from '../ledger/decided-row.js';
import { type Decisions, noDecisions } from '../ledger/decisions.js';
import { type IncomeReceipt, IncomeTotals } from '../ledger/income-totals.js';
import type { Rules } from '../ledger/rules.js';
import { fieldsOf, jsonWriter } from './field.js';

/** The kinds in categories.json and tags.json, and `excluded`. */
export type Kind =
  | Exclude<Category['kind'], 'inside'>
  | 'payment'
  | 'purchase'
  | 'sale'
  | 'own_transfer'
  | 'gift'
  | 'donation'
  | 'loan'
  | 'loan_repayment'
  | 'ignore'
  | 'excluded';

/**
 * Koinly's label by kind, or [label of received coins, label of sent coins]. Source: support.koinly.io, article
 * 9489976.
 */
export const KOINLY_LABELS = {
  income: 'income',
  reward: 'reward',
  airdrop: 'airdrop',
  payment: ['income', 'cost'],
  purchase: '',
  sale: '',
  own_transfer: '',
  own_key: '',
  gift: 'gift',
  donation: 'donation',
  lost: 'lost',
  expense: 'cost',
  fee: 'cost',
  loan: 'loan',
  loan_repayment: 'loan',
  ignore: '',
  transfer: '',
  trade: '',
  exchange: 'swap',
} as const satisfies Readonly<Record<Exclude<Kind, 'excluded'>, string | readonly [received: string, sent: string]>>;

/** Koinly's labels for staked or deposited coins. */
const STAKE = 'stake';
const UNSTAKE = 'unstake';

export const LABELS: readonly string[] = [...new Set([...Object.values(KOINLY_LABELS).flat(), STAKE, UNSTAKE])].sort();

interface Labelled {
  readonly category: Category;
  readonly userTag: string;
  readonly valueStatus: string;
  readonly event: { readonly sent_amount: bigint | null; readonly received_amount: bigint | null };
}

/**
 * Returns Koinly's label. Returns '' if there is none. Koinly then treats the row as a plain deposit, withdrawal or
 * trade.
 */
export function labelOf({ category, userTag, valueStatus, event }: Labelled): string {
  if (valueStatus === 'excluded') return '';
  const arrives = event.received_amount !== null;
  const isTagged = userTag !== '';
  if (!isTagged && isStakeMove(category)) return arrives ? (event.sent_amount === null ? UNSTAKE : '') : STAKE;
  const label = KOINLY_LABELS[(isTagged ? userTag : category.kind) as keyof typeof KOINLY_LABELS];
  return typeof label === 'string' ? label : label[arrives ? 0 : 1];
}

const isStakeMove = ({ kind, in: incoming, out }: Category) =>
  kind === 'inside' || incoming?.act === 'withdraw' || out?.act === 'deposit';

export interface RowContext {
  readonly rules: Rules;
  monikerOf(operator: string): string;
  /** Returns true if no market could be reached for the price of a day. Absent if every market was reached. */
  isUnreached?(denom: string, day: string): boolean;
}

type ValueStatus = 'priced' | 'stated' | 'below_half_cent' | 'no_price' | 'unreached' | 'excluded' | 'nothing';

/** Why a day has no price. Pages, files and answers use the same words. */
export const NO_PRICE = 'No price was published for that day.';
export const UNREACHED = 'No market could be reached on that day; the next run asks again.';

const RETURNED = ' By your decision these are coins that had been sent to an own place.';

const WORTH: Readonly<Record<ValueStatus, string>> = {
  priced: '',
  stated: ' Your decision states its value.',
  below_half_cent: ' It is worth less than half a cent.',
  no_price: ` ${NO_PRICE}`,
  unreached: ` ${UNREACHED}`,
  excluded: ' It is excluded by your decision and counts as worthless.',
  nothing: '',
};

export interface EventRow {
  /** The event as on chain. A decision may have replaced the received coin. */
  readonly event: PricedEvent;
  readonly category: Category;
  readonly rules: Rules;
  readonly moniker: string;
  readonly userTag: string;
  readonly taxable: boolean;
  readonly incomeAccount: string | undefined;
  /** Cents; 0 if unknown. */
  readonly value: bigint;
  /** micro-USD per displayed unit; 0 if unknown. */
  readonly price: bigint;
  readonly priceMissing: boolean;
  readonly valueStatus: ValueStatus;
  /** True if the coins had been sent to an own place before, by the owner's decision. */
  readonly isReturn?: boolean;
  readonly json?: string;
}

/**
 * Returns a function that makes the rows of a wallet. It must get every row of the wallet in chain order, because
 * earlier receipts change the cents of later income.
 */
export function walletRows(context: RowContext, decisions: Decisions = noDecisions): (event: PricedEvent) => EventRow {
  const income = new IncomeTotals(IN_PRICES);
  return (event) => eventRow(decide(event, decisions, context.rules), context, (receipt) => income.add(receipt));
}

/**
 * Makes the row of answers. A tagged row is taxable if the tag makes it income or a disposal. For other rows, the
 * category decides. An excluded receipt is never taxable.
 * @param incomeOf value of income in cents
 */
export function eventRow(
  decided: DecidedRow,
  { rules, monikerOf, isUnreached }: RowContext,
  incomeOf: (receipt: IncomeReceipt) => bigint | null,
): EventRow {
  const { event, in: incoming, out, isExcluded, isReturn, value } = decided;
  const category = rules.category(event.category);
  const moved = overridden(decided);
  const account = incoming?.treatment.income && !isExcluded ? incoming.treatment.account : undefined;
  const tag = incoming?.tag ?? out?.tag;
  const worth = () =>
    (value === undefined ? undefined : statedWorth(moved, value, rules)) ??
    (account === undefined ? undefined : incomeWorth(moved, account, rules, incomeOf)) ??
    worthOf(moved, rules, isUnreached);
  return {
    event: moved,
    category,
    rules,
    moniker: event.validator === null ? '' : monikerOf(event.validator),
    userTag: tag?.tag ?? '',
    isReturn,
    taxable:
      !isExcluded && !isReturn && (tag ? account !== undefined || isTaggedDisposal(out) : isTaxable(event, category)),
    incomeAccount: account,
    ...(isExcluded ? EXCLUDED : worth()),
  };
}

/** Returns true if the category is taxable. Coins sent to the owner's own key on another chain are not taxable (D6). */
const isTaxable = (event: PricedEvent, category: Category) =>
  category.taxable && !(event.to_own_key && category.out_to_own_key !== undefined);

const isTaggedDisposal = (applied: Applied | undefined) => applied?.tag != null && applied.treatment.act === 'dispose';

function overridden({ event, coin }: DecidedRow): PricedEvent {
  if (!coin) return event;
  const received_amount = coin.quantity ?? event.received_amount;
  return { ...event, received_denom: coin.denom, received_amount, received_price: coin.price };
}

type Worth = Pick<EventRow, 'value' | 'price' | 'priceMissing' | 'valueStatus'>;

const EXCLUDED: Worth = { value: 0n, price: 0n, priceMissing: false, valueStatus: 'excluded' };
const NOTHING: Worth = { ...EXCLUDED, valueStatus: 'nothing' };
const UNKNOWN: Worth = { value: 0n, price: 0n, priceMissing: true, valueStatus: 'no_price' };

function statedWorth(event: PricedEvent, value: bigint, rules: Rules): Worth {
  const { units, denom } = valuedCoin(event)!;
  const price = unitPrice(value, units, rules.denomination(denom).decimals);
  return { value, price, priceMissing: false, valueStatus: 'stated' };
}

function valuedCoin(e: PricedEvent): { units: bigint; denom: string } | undefined {
  if (e.received_amount !== null) return { units: e.received_amount, denom: e.received_denom! };
  if (e.sent_amount !== null) return { units: e.sent_amount, denom: e.sent_denom! };
  return e.fee_amount === null ? undefined : { units: e.fee_amount, denom: e.fee_denom! };
}

/** Returns undefined if the received coins have no price. */
function incomeWorth(
  { received_amount: quantity, received_denom, received_price: price, time }: PricedEvent,
  account: string,
  rules: Rules,
  incomeOf: (receipt: IncomeReceipt) => bigint | null,
): Worth | undefined {
  if (quantity === null || price === null) return undefined;
  const denom = received_denom!;
  const { decimals } = rules.denomination(denom);
  const value = incomeOf({ account, denom, decimals, quantity, price, day: UTC.dayOf(time) });
  return value === null ? undefined : { ...priced(quantity, decimals, price), value };
}

/**
 * Returns the value of the received coins. Without their price, returns the value of the sent coins, otherwise the
 * value of the fee.
 */
function worthOf(e: PricedEvent, rules: Rules, isUnreached: RowContext['isUnreached']): Worth {
  const at = (amount: bigint, denom: string, price: bigint) =>
    priced(amount, rules.denomination(denom).decimals, price);
  if (e.received_amount !== null && e.received_price !== null)
    return at(e.received_amount, e.received_denom!, e.received_price);
  if (e.sent_amount !== null && e.sent_price !== null) return at(e.sent_amount, e.sent_denom!, e.sent_price);
  if (e.fee_amount !== null && e.fee_price !== null) return at(e.fee_amount, e.fee_denom!, e.fee_price);
  const coin = valuedCoin(e);
  if (!coin) return NOTHING;
  return isUnreached?.(coin.denom, e.time.slice(0, 10)) ? { ...UNKNOWN, valueStatus: 'unreached' } : UNKNOWN;
}

function priced(amount: bigint, decimals: number, price: bigint): Worth {
  const value = valueInCents(amount, decimals, price);
  const isBelow = value === 0n && amount > 0n && price > 0n;
  return { value, price, priceMissing: false, valueStatus: isBelow ? 'below_half_cent' : 'priced' };
}

const amount = (units: bigint | null, denom: string | null, rules: Rules) =>
  units === null ? '' : formatDecimal(units, rules.denomination(denom!).decimals);
const symbol = (denom: string | null, rules: Rules) => (denom === null ? '' : rules.denomination(denom).symbol);

type Slot = 'sent' | 'received' | 'fee' | 'validator' | 'counterparty';

const coin = (units: bigint | null, denom: string | null, rules: Rules) =>
  units === null ? '' : `${amount(units, denom, rules)} ${symbol(denom, rules)}`;

function slotOf({ event, rules, moniker }: EventRow, slot: Slot): string {
  if (slot === 'validator') return moniker || (event.validator ?? '');
  if (slot === 'counterparty') return event.counterparty ?? '';
  return coin(event[`${slot}_amount`], event[`${slot}_denom`], rules);
}

function describe(row: EventRow): string {
  const { category, event, userTag, valueStatus, isReturn } = row;
  const sentence = event.to_own_key ? (category.sentence_to_own_key ?? category.sentence) : category.sentence;
  const isTreatedByTag = userTag !== '' && valueStatus !== 'excluded';
  const tagged = isTreatedByTag ? ` It is treated according to your tag ${userTag}.` : '';
  return `${fillSentence(sentence, (slot) => slotOf(row, slot as Slot))}${tagged}${isReturn ? RETURNED : ''}${WORTH[valueStatus]}`;
}

const { text, word, decimal, number, boolean } = fieldsOf<EventRow>();

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

export const eventJson = (row: EventRow): string => row.json ?? writeJson(row);

export const withJson = (row: EventRow): EventRow & { readonly json: string } => ({ ...row, json: writeJson(row) });

/** A part of a template. An optional part is omitted if its slot is empty. */
interface Piece {
  readonly before: string;
  readonly slot: string | undefined;
  readonly after: string;
  readonly isOptional: boolean;
}

const SLOT = /^(.*?)\{(\w+)\}(.*)$/s;

function pieceOf(text: string, isOptional: boolean): Piece {
  const [, before = text, slot, after = ''] = SLOT.exec(text) ?? [];
  return { before, slot, after, isOptional };
}

/** Splits a template such as `Sent {sent}[ to {counterparty}]`. Parts in brackets are optional. */
function piecesOf(sentence: string): readonly Piece[] {
  const parts = sentence.match(/\[[^\]]*\]|[^[{]*\{\w+\}|[^[{]+/g) ?? [];
  return parts.map((part) => (part.startsWith('[') ? pieceOf(part.slice(1, -1), true) : pieceOf(part, false)));
}

/** Caches parsed templates, because a wallet may have tens of thousands of rows. */
const templates = new Map<string, readonly Piece[]>();

export function fillSentence(sentence: string, fill: (slot: string) => string): string {
  let pieces = templates.get(sentence);
  if (!pieces) {
    pieces = piecesOf(sentence);
    templates.set(sentence, pieces);
  }
  let text = '';
  for (const { before, slot, after, isOptional } of pieces) {
    const value = slot === undefined ? '' : fill(slot);
    if (value !== '' || !isOptional) text += `${before}${value}${after}`;
  }
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * Returns the price in micro-USD per displayed unit.
 * @param value cents
 */
function unitPrice(value: bigint, quantity: bigint, decimals: number): bigint {
  return halfUp(value * powerOfTen(decimals + PRICE_DECIMALS - 2), quantity);
}
