/**
 * Parses decisions that callers send. Tags (R6) change how rows are booked; row-tags.ts finds their rows. Asset
 * decisions (R7, D10) change receipts, and state the value of rows.
 */
import type { PricedEvent, Tag } from '../../../schemas/types.generated.js';
import { isRecord, pointer } from '../../base/json/exact-json.js';
import { parseDecimal } from '../../base/values/amount.js';
import { isDay } from '../../base/values/day.js';
import { Decimal, toUnits } from '../../base/values/decimal.js';
import type { Currency } from '../currencies/currency.js';
import { type ExchangeRates, unknownCurrency, withoutRate } from '../currencies/exchange-rates.js';
import { usd } from '../currencies/usd.js';
import { isName, type Rules } from './rules.js';

export interface Decisions {
  readonly tags: RowTags;
  readonly assets: AssetDecisions;
}

export const noDecisions: Decisions = { tags: new Map(), assets: new Map() };

export interface Issue {
  /** JSON pointer (RFC 6901) into the parsed value; '' means the whole value. */
  readonly path: string;
  readonly message: string;
}

export type Parsed<T> = { readonly value: T } | { readonly errors: readonly Issue[] };

export const ISSUES_MAX = 50;

export interface GivenTag {
  readonly tag: Tag;
  readonly key: string;
  /** Cents. Only set for a tag by row id. */
  readonly value?: bigint;
}

/** Tags as sent: row id, transaction hash or `block:<height>` → denom (EVERY_DENOM if the key has none) → tag. */
export type GivenTags = ReadonlyMap<string, ReadonlyMap<string, GivenTag>>;

export const EVERY_DENOM = '';

/** The tags that apply, by row id and direction. Each of them fits its row. */
export type RowTags = ReadonlyMap<string, { readonly [Side in Direction]?: Tag }>;

/** `<transaction hash>` or `block:<height>`, optionally followed by `:<denom>`. */
const KEY = /^(?:([0-9a-f]{64})|(block:(?:0|[1-9]\d*)))(?::([a-z][a-z0-9/:._-]{1,127}))?$/i;

const ROW_ID = /^(?:0|[1-9]\d*)-[0-9A-Za-z-]+$/;

export function parseTags(value: unknown, rules: Rules): Parsed<GivenTags> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object of transaction hash → tag' }] };
  const errors: Issue[] = [];
  const tags = new Map<string, Map<string, GivenTag>>();
  for (const [key, given] of Object.entries(value)) {
    if (errors.length >= ISSUES_MAX) break;
    const refuse = (message: string, ...member: string[]) => errors.push({ path: pointer(key, ...member), message });
    const named = readKey(key);
    if (!named) {
      refuse(
        "the key must be a row's id, or a transaction hash of 64 hex digits or block:<height>, then :<denom> if the tag is for one",
      );
      continue;
    }
    const { name: of, denom } = named;
    const { tag: name, value_usd: value, ...unknown } = isRecord(given) ? given : { tag: given };
    const inObject = isRecord(given) ? ['tag'] : [];
    const tag = typeof name === 'string' ? rules.tag(name) : undefined;
    const others = tags.get(of) ?? new Map<string, GivenTag>();
    if (!tag) refuse(`must be one of ${rules.tags.map((known) => known.tag).join(', ')}`, ...inObject);
    else if (others.has(denom)) refuse('the same transaction and denom is tagged twice');
    else if (value === undefined) tags.set(of, others.set(denom, { tag, key }));
    else if (!isRowId(of)) refuse("needs a row's id as the key of the tag", 'value_usd');
    else if (typeof value !== 'string' || !isDecimal(value)) refuse(`must be ${MONEY}`, 'value_usd');
    else tags.set(of, others.set(denom, { tag, key, value: readCents(value) }));
    for (const member of Object.keys(unknown)) refuse('is not a member of a tag', member);
  }
  return errors.length > 0 ? { errors } : { value: tags };
}

/** Yields the values in cents that tags state, by row id. */
export function* valuesOfTags(tags: GivenTags): Generator<readonly [id: string, value: bigint], void, undefined> {
  for (const [id, given] of tags) {
    const value = given.get(EVERY_DENOM)?.value;
    if (value !== undefined) yield [id, value];
  }
}

const isRowId = (name: string) => ROW_ID.test(name);

function readKey(key: string): { name: string; denom: string } | undefined {
  if (isRowId(key)) return { name: key, denom: EVERY_DENOM };
  const match = KEY.exec(key);
  if (!match || (match[2] !== undefined && !key.startsWith('block:'))) return undefined;
  return { name: match[1]?.toUpperCase() ?? match[2]!, denom: match[3] ?? EVERY_DENOM };
}

export interface Exclusion {
  readonly mode: 'exclude';
}

interface Keeping {
  readonly mode: 'keep';
}

/** The received coins had been sent to an own place before (away.ts). */
export interface Return {
  readonly mode: 'return';
}

export interface Override {
  readonly mode: 'override';
  readonly token?: string;
  /** Displayed units of `token`. */
  readonly quantity?: string;
  /** Minor units. */
  readonly value?: bigint;
  /** Minor units. */
  readonly cost?: bigint;
  /** Currency of the two amounts below, which `inBooks` converts to `value` and `cost`. */
  readonly currency?: string;
  readonly foreignValue?: Decimal;
  readonly foreignCost?: Decimal;
  /** YYYY-MM-DD. If absent, the day of the receipt. */
  readonly acquired_date?: string;
  /** Set by the server: price of `token` on the day of the receipt, in micro-USD. Null or absent if unknown. */
  readonly token_price?: bigint | null;
  /** Set by the server if the row is not a flagged receipt: it is then booked as its category requires. */
  readonly keepsTreatment?: true;
}

export type AssetDecision = Exclusion | Keeping | Return | Override;

export type AssetDecisions = ReadonlyMap<string, AssetDecision>;

/** Key for several receipts: `*`, `*:<reason>` or `*:<sender>`. */
const MANY = /^\*(?::[0-9a-z_]+)?$/;
/** Key for all receipts from a sender. No reason contains a digit. */
const SENDER = /^\*:[a-z]+1[0-9a-z]+$/;

const DECIMAL = /^\d{1,40}(?:\.\d{1,40})?$/;
export const isDecimal = (text: string): boolean => DECIMAL.test(text);
const readCents = (text: string): bigint => toUnits(new Decimal(text), 2);
export const MONEY = 'a plain decimal, not negative';

interface Member {
  readonly must: string;
  readonly test: (text: string) => boolean;
  readonly read: (text: string) => Partial<Override>;
}

/** Members of which an override needs at least one. */
const VALUES: Readonly<Record<string, Member>> = {
  token: { must: 'a symbol or a denom', test: isName, read: (token) => ({ token }) },
  quantity: {
    must: 'a plain decimal above zero',
    test: (text) => isDecimal(text) && /[1-9]/.test(text),
    read: (quantity) => ({ quantity }),
  },
  value_usd: { must: MONEY, test: isDecimal, read: (text) => ({ value: readCents(text) }) },
  cost_basis_usd: { must: MONEY, test: isDecimal, read: (text) => ({ cost: readCents(text) }) },
  acquired_date: {
    must: 'a calendar date, YYYY-MM-DD',
    test: isDay,
    read: (acquired_date) => ({ acquired_date }),
  },
};

/** All members of an override beside its mode. Another currency replaces the members in US dollars. */
const MEMBERS: Readonly<Record<string, Member>> = {
  ...VALUES,
  currency: { must: '', test: () => true, read: (currency) => ({ currency }) }, // currencyIssues checks it
  value: { must: MONEY, test: isDecimal, read: (text) => ({ foreignValue: new Decimal(text) }) },
  cost_basis: { must: MONEY, test: isDecimal, read: (text) => ({ foreignCost: new Decimal(text) }) },
};

/** Members for money in the currency of the books, and for money in the currency that the item names. */
const MONEY_MEMBERS = [
  ['value_usd', 'value'],
  ['cost_basis_usd', 'cost_basis'],
] as const;

/** Checks the currency of an item with stated money, and that all its money is in this currency. */
export function currencyIssues(item: Readonly<Record<string, unknown>>, rates: ExchangeRates): Issue[] {
  const { currency } = item;
  const issues: Issue[] = [];
  if (typeof currency === 'string' && !rates.currencyNamed(currency))
    issues.push({ path: '/currency', message: unknownCurrency(currency) });
  for (const [usual, foreign] of MONEY_MEMBERS) {
    if (currency === undefined && item[foreign] !== undefined)
      issues.push({ path: pointer(foreign), message: 'needs currency' });
    if (currency !== undefined && item[usual] !== undefined)
      issues.push({ path: pointer(usual), message: `cannot be combined with currency: state ${foreign}` });
  }
  return issues;
}

export function parseAssetDecisions(value: unknown, rates: ExchangeRates): Parsed<AssetDecisions> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object of record id → decision' }] };
  const errors: Issue[] = [];
  const decisions = new Map<string, AssetDecision>();
  for (const [id, decision] of Object.entries(value)) {
    if (errors.length >= ISSUES_MAX) break;
    const result = parseDecision(decision, rates);
    if ('value' in result && id.startsWith('*') && !isForMany(id, result.value))
      errors.push({ path: pointer(id), message: FOR_MANY });
    else if ('value' in result) decisions.set(id, result.value);
    else errors.push(...result.errors.map(({ path, message }) => ({ path: pointer(id) + path, message })));
  }
  return errors.length > 0 ? { errors } : { value: decisions };
}

const FOR_MANY = 'must be *, *:<reason> or *:<sender>, with mode exclude; or *:<sender>, with mode return';

const isForMany = (id: string, { mode }: AssetDecision) =>
  (mode === 'exclude' && MANY.test(id)) || (mode === 'return' && SENDER.test(id));

function parseDecision(value: unknown, rates: ExchangeRates): Parsed<AssetDecision> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object with a mode' }] };
  const { mode } = value;
  if (mode !== 'exclude' && mode !== 'keep' && mode !== 'return' && mode !== 'override')
    return { errors: [{ path: '/mode', message: 'must be exclude, keep, return or override' }] };
  const errors: Issue[] = [];
  const read: Partial<Override> = {};
  for (const [name, text] of Object.entries(value)) {
    if (name === 'mode') continue;
    if (errors.length >= ISSUES_MAX) break;
    const kind = mode === 'override' && Object.hasOwn(MEMBERS, name) ? MEMBERS[name]! : undefined;
    const refuse = (message: string) => errors.push({ path: pointer(name), message });
    if (!kind) refuse(`is not a member of a decision with mode ${mode}`);
    else if (typeof text !== 'string') refuse('must be text');
    else if (!kind.test(text)) refuse(`must be ${kind.must}`);
    else Object.assign(read, kind.read(text));
  }
  if (mode === 'override') errors.push(...currencyIssues(value, rates));
  if (errors.length > 0) return { errors };
  if (mode !== 'override') return { value: { mode } };
  if (Object.keys(read).length === 0)
    return { errors: [{ path: '', message: `an override needs at least one of ${Object.keys(VALUES).join(', ')}` }] };
  if (read.currency !== undefined && !read.foreignValue && !read.foreignCost)
    return { errors: [{ path: '/currency', message: 'needs value or cost_basis' }] };
  return { value: { mode, ...read } };
}

type ReceivedCoin = Pick<PricedEvent, 'received_denom'>;

/**
 * Returns the coin to book in place of the received one. Its quantity is undefined if the received one is booked.
 * @throws RangeError if the quantity has more decimal places than the token
 */
export function overriddenCoin(
  event: ReceivedCoin,
  override: Override,
  rules: Rules,
): { denom: string; quantity: bigint | undefined } {
  const { token, quantity } = override;
  const denom = token === undefined ? event.received_denom! : (rules.denomOf(token) ?? token);
  const units = quantity === undefined ? undefined : parseDecimal(quantity, rules.denomination(denom).decimals);
  return { denom, quantity: units };
}

export function decisionIssues(
  receipt: ReceivedCoin & Pick<PricedEvent, 'id' | 'time'>,
  decision: AssetDecision,
  rules: Rules,
): Issue[] {
  if (decision.mode !== 'override') return [];
  const issues: Issue[] = [];
  const day = receipt.time.slice(0, 10);
  if (decision.acquired_date !== undefined && decision.acquired_date > day)
    issues.push({ path: pointer(receipt.id, 'acquired_date'), message: `is after the receipt of ${day}` });
  try {
    overriddenCoin(receipt, decision, rules);
  } catch (fault) {
    issues.push({ path: pointer(receipt.id, 'quantity'), message: (fault as RangeError).message });
  }
  return issues;
}

/**
 * Converts the money of an override to the currency of the books. A value has the rate of the row's day, and a cost the
 * rate of the acquired day.
 */
export function inBooks(
  override: Override,
  { id, time }: Pick<PricedEvent, 'id' | 'time'>,
  rates: ExchangeRates,
  books: Currency = usd,
): { readonly override: Override; readonly issues: readonly Issue[] } {
  const { currency, foreignValue, foreignCost, acquired_date: acquired } = override;
  if (currency === undefined && books === usd) return { override, issues: [] };
  const ofCents = (cents: bigint | undefined) => (cents === undefined ? undefined : new Decimal(`${cents}e-2`));
  const issues: Issue[] = [];
  const converted = (member: string, day: string, amount: Decimal | undefined) => {
    const from = currency ?? usd.code;
    const minor = amount && rates.inMinorUnits(amount, from, day, books);
    const name = currency === undefined ? `${member}_usd` : member;
    if (minor === null) issues.push({ path: pointer(id, name), message: withoutRate(member, from, day, books) });
    return minor ?? undefined;
  };
  const rowDay = time.slice(0, 10);
  const value = converted('value', rowDay, foreignValue ?? ofCents(override.value));
  const cost = converted('cost_basis', acquired ?? rowDay, foreignCost ?? ofCents(override.cost));
  const money = { ...(value !== undefined && { value }), ...(cost !== undefined && { cost }) };
  return { override: { ...override, ...money }, issues };
}

export type Direction = 'in' | 'out';

export const isDecided = ({ tags, assets }: Decisions, { id }: Pick<PricedEvent, 'id'>): boolean =>
  tags.has(id) || assets.has(id);
