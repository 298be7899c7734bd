/** Value and cost of a receipt, from its treatment or an asset decision (D8, D10, D11). */
import type { PricedEvent, Treatment } from '../../schemas/types.generated.js';
import { formatCents, parseDecimal, valueInCents } from './amount.js';
import type { Exclusion, Override } from './decisions/asset-decisions.js';
import type { Rules } from './rules.js';
import type { Applied } from './treatment.js';

export interface Receipt {
  readonly denom: string;
  /** Base units. */
  readonly quantity: bigint;
  /** YYYY-MM-DD */
  readonly acquired: string;
  /** Cents, or null if unknown. */
  readonly basis: bigint | null;
  /** Cents on the contra account if they differ from the basis: income, or the value given in a swap. */
  readonly credited: bigint | null;
  readonly account: string;
  readonly differenceAccount: string;
  /** micro-USD that day. */
  readonly price: bigint | null;
  readonly memo: string;
}

/** Treatment under an asset decision without a tag. */
const DECIDED: Treatment = { act: 'acquire', basis: 'unknown', account: 'Transfers In: Unclassified' };

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

/** Builds the receipt of a received leg. Returns null if the decision excludes a coin other than the native coin. */
export function receiptOf(
  event: PricedEvent,
  quantity: bigint,
  { treatment, tag }: Applied,
  decision: Exclusion | Override | undefined,
  rules: Rules,
  worth?: bigint | null,
): Receipt | null {
  if (decision?.mode === 'exclude') return excluded(event, rules);
  const { received_denom } = event;
  const coin = decision && overriddenCoin({ received_denom, received_amount: quantity }, decision, rules);
  const denom = coin?.denom ?? received_denom!;
  const units = coin?.quantity ?? quantity;
  const price = denom === received_denom ? event.received_price : (decision?.token_price ?? null);
  const byPrice = price === null ? null : valueInCents(units, rules.denomination(denom).decimals, price);
  const value = decision?.value_usd ?? (worth === undefined ? byPrice : worth);
  const rule = decision && !tag && !decision.keepsTreatment ? DECIDED : treatment;
  const basis = decision?.cost_basis_usd ?? basisBy(rule, value);
  const words = decision ? 'asset decision' : '';
  return {
    denom,
    quantity: units,
    acquired: decision?.acquired_date ?? event.time.slice(0, 10),
    basis,
    credited: rule.income ? (value ?? 0n) : worth === undefined ? null : value,
    account: rule.account,
    differenceAccount: DECIDED.account,
    price,
    memo: joined(joined(tag ? `tag ${tag.tag}` : '', words), valuation(rule, basis, value)),
  };
}

const joined = (a: string, b: string) => (a === '' || b === '' ? a + b : `${a}; ${b}`);

function valuation(rule: Treatment, basis: bigint | null, value: bigint | null): string {
  if (basis === null)
    return value === null ? 'basis unknown; price missing' : `basis unknown; FMV ${formatCents(value)}`;
  return value === null && rule.basis === 'market' ? 'price missing' : '';
}

/** Returns the market value in cents, or null without a price (D8). */
function basisBy(rule: Treatment, value: bigint | null): bigint | null {
  if (rule.basis === 'market') return value;
  return rule.basis === 'zero' ? 0n : null;
}

/** Keeps excluded native coins at zero basis, so that the quantity matches the chain. */
function excluded(event: PricedEvent, rules: Rules): Receipt | null {
  if (event.received_denom !== rules.nativeDenom) return null;
  return {
    denom: event.received_denom,
    quantity: event.received_amount!,
    acquired: event.time.slice(0, 10),
    basis: 0n,
    credited: null,
    account: DECIDED.account,
    differenceAccount: DECIDED.account,
    price: event.received_price,
    memo: 'excluded by asset decision',
  };
}
