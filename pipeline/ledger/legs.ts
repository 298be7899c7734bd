import type { PricedEvent } from '../../schemas/types.generated.js';
import { valueInCents } from './amount.js';
import type { Denomination } from './rules.js';

export interface Leg {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
  /** micro-USD that day. */
  readonly price: bigint | null;
}

const leg = (amount: bigint | null, denom: string | null, price: bigint | null): Leg | null =>
  amount === null || denom === null || amount === 0n ? null : { amount, denom, price };

export const sentLeg = (e: PricedEvent): Leg | null => leg(e.sent_amount, e.sent_denom, e.sent_price);
export const receivedLeg = (e: PricedEvent): Leg | null => leg(e.received_amount, e.received_denom, e.received_price);
export const feeLeg = (e: PricedEvent): Leg | null => leg(e.fee_amount, e.fee_denom, e.fee_price);

export function worthOf({ amount, price }: Leg, { decimals }: Denomination): bigint | null {
  return price === null ? null : valueInCents(amount, decimals, price);
}
