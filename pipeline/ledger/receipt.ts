/** The value and the cost of a receipt: its treatment, and the asset decision that may stand over it (D8, D10, D11). */
import type { PricedEvent, Treatment } from '../../schemas/types.generated.js';
import { formatCents, parseDecimal, valueInCents } from './amount.js';
import type { Exclusion, Override } from './decisions/asset-decisions.js';
import type { Rules } from './rules.js';
import type { Applied } from './treatment.js';

/** A lot about to be made, and how it is booked. */
export interface Receipt {
  readonly denom: string;
  /** Base units. */
  readonly quantity: bigint;
  /** YYYY-MM-DD */
  readonly acquired: string;
  /** Cents, or null where unknown. */
  readonly basis: bigint | null;
  /** Cents on the contra account: of income, or of what a swap gave for it; null where they are the basis. */
  readonly credited: bigint | null;
  /** The contra account. */
  readonly account: string;
  /** Account of the difference between those cents and the basis. */
  readonly differenceAccount: string;
  /** Unit price of the denom that day in micro-USD, or null. */
  readonly price: bigint | null;
  readonly memo: string;
}

/** Treatment of a receipt under an asset decision when no tag says more. */
const DECIDED: Treatment = { act: 'acquire', basis: 'unknown', account: 'Transfers In: Unclassified' };

/** The received coin of a row. */
export type ReceivedCoin = Pick<PricedEvent, 'received_denom' | 'received_amount'>;

/**
 * The coin that an override says was received.
 * @throws RangeError when the quantity has more places than the token
 */
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

/**
 * The receipt that base units of a row's received side make.
 * @param worth cents, where something else than the day's price says it (a swap); absent = by price
 * @returns null where nothing is kept: an excluded coin that is not the chain's own
 */
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

/** Words of the memo when basis or price is not known. */
function valuation(rule: Treatment, basis: bigint | null, value: bigint | null): string {
  if (basis === null)
    return value === null ? 'basis unknown; price missing' : `basis unknown; FMV ${formatCents(value)}`;
  return value === null && rule.basis === 'market' ? 'price missing' : '';
}

/** Returns the basis of a new lot in cents: the market value, or null without a price (D8). */
function basisBy(rule: Treatment, value: bigint | null): bigint | null {
  if (rule.basis === 'market') return value;
  return rule.basis === 'zero' ? 0n : null;
}

/** An excluded receipt is valueless; the chain's own coin is kept at zero basis, so that the quantity equals the chain's. */
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
