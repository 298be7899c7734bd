/** Parses the caller's decisions about receipts: record id → exclude, keep or override (R7, D10). */

import type { PricedEvent } from '../../../schemas/types.generated.js';
import { isRecord, pointer } from '../../json/exact-json.js';
import { parseDecimal } from '../amount.js';
import { isDay } from '../day.js';
import { Decimal, toUnits } from '../decimal.js';
import { isName, type Rules } from '../rules.js';
import { ISSUES_MAX, type Issue, type Parsed, type Steps } from './issues.js';

export interface Exclusion {
  readonly mode: 'exclude';
}

/** Accepts the receipt as genuine and treats it by its category. */
export interface Keeping {
  readonly mode: 'keep';
}

export interface Override {
  readonly mode: 'override';
  /** Registry symbol or denom. */
  readonly token?: string;
  /** Displayed units of that token, above zero. */
  readonly quantity?: string;
  /** Cents. */
  readonly value_usd?: bigint;
  /** Cents. If absent, the basis is unknown. */
  readonly cost_basis_usd?: bigint;
  /** YYYY-MM-DD. Defaults to the day of the receipt. */
  readonly acquired_date?: string;
  /** micro-USD: price of `token` on the receipt's day. Set by the server. */
  readonly token_price?: bigint | null;
  /** True if the receipt is not flagged; it keeps its category's treatment. Set by the server. */
  readonly keepsTreatment?: true;
}

export type AssetDecision = Exclusion | Keeping | Override;

/** By row id, or by a key for many receipts (MANY). */
export type AssetDecisions = ReadonlyMap<string, AssetDecision>;

/** Keys for many receipts: `*`, `*:<reason>` or `*:<sender>`. */
const MANY = /^\*(?::[0-9a-z_]+)?$/;

const DECIMAL = /^\d{1,40}(?:\.\d{1,40})?$/;
const isDecimal = (text: string) => DECIMAL.test(text);
const readCents = (text: string) => toUnits(new Decimal(text), 2);

const VALUES: Record<
  string,
  { must: string; test: (text: string) => boolean; read: (text: string) => string | bigint }
> = {
  token: { must: 'a symbol or a denom', test: isName, read: (text) => text },
  quantity: {
    must: 'a plain decimal above zero',
    test: (text) => isDecimal(text) && /[1-9]/.test(text),
    read: (text) => text,
  },
  value_usd: { must: 'a plain decimal, not negative', test: isDecimal, read: readCents },
  cost_basis_usd: { must: 'a plain decimal, not negative', test: isDecimal, read: readCents },
  acquired_date: { must: 'a calendar date, YYYY-MM-DD', test: isDay, read: (text) => text },
};

/** Parses `asset_decisions`, one decision per step. Errors have JSON pointers relative to the value. */
export function* parseAssetDecisions(value: unknown): Steps<Parsed<AssetDecisions>> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object of record id → decision' }] };
  const errors: Issue[] = [];
  const decisions = new Map<string, AssetDecision>();
  for (const [id, decision] of Object.entries(value)) {
    if (errors.length >= ISSUES_MAX) break;
    yield;
    const result = parseDecision(decision);
    if ('value' in result && id.startsWith('*') && !isForMany(id, result.value))
      errors.push({ path: pointer(id), message: 'must be *, *:<reason> or *:<sender>, with mode exclude' });
    else if ('value' in result) decisions.set(id, result.value);
    else errors.push(...result.errors.map(({ path, message }) => ({ path: pointer(id) + path, message })));
  }
  return errors.length > 0 ? { errors } : { value: decisions };
}

const isForMany = (id: string, { mode }: AssetDecision) => MANY.test(id) && mode === 'exclude';

function parseDecision(value: unknown): Parsed<AssetDecision> {
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object with a mode' }] };
  const { mode } = value;
  if (mode !== 'exclude' && mode !== 'keep' && mode !== 'override')
    return { errors: [{ path: '/mode', message: 'must be exclude, keep or override' }] };
  const errors: Issue[] = [];
  const read: Record<string, string | bigint> = {};
  for (const [name, text] of Object.entries(value)) {
    if (name === 'mode') continue;
    if (errors.length >= ISSUES_MAX) break;
    const kind = mode === 'override' && Object.hasOwn(VALUES, name) ? VALUES[name]! : undefined;
    const refuse = (message: string) => errors.push({ path: pointer(name), message });
    if (!kind) refuse(`is not a member of a decision with mode ${mode}`);
    else if (typeof text !== 'string') refuse('must be text');
    else if (!kind.test(text)) refuse(`must be ${kind.must}`);
    else read[name] = kind.read(text);
  }
  if (errors.length > 0) return { errors };
  if (mode !== 'override') return { value: { mode } };
  if (Object.keys(read).length === 0)
    return { errors: [{ path: '', message: `an override needs at least one of ${Object.keys(VALUES).join(', ')}` }] };
  return { value: { mode, ...read } };
}

export type ReceivedCoin = Pick<PricedEvent, 'received_denom' | 'received_amount'>;

/** @throws RangeError if the quantity has more decimal places than the token */
export function overriddenCoin(
  event: ReceivedCoin,
  override: Override,
  rules: Rules,
): { denom: string; quantity: bigint } {
  const { token, quantity } = override;
  const denom = token === undefined ? event.received_denom! : (rules.denomOf(token) ?? token);
  if (quantity === undefined) return { denom, quantity: event.received_amount! };
  return { denom, quantity: parseDecimal(quantity, rules.denomination(denom).decimals) };
}
