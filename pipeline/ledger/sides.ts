/** The sides of a row: what was sent, what was received, and the fee, each a coin with its price of that day. */
import type { PricedEvent } from '../../schemas/types.generated.js';
import { valueInCents } from './amount.js';
import type { Denomination } from './rules.js';

/** One side of a row. */
export interface Side {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
  /** Unit price that day in micro-USD, or null. */
  readonly price: bigint | null;
}

const side = (amount: bigint | null, denom: string | null, price: bigint | null): Side | null =>
  amount === null || denom === null || amount === 0n ? null : { amount, denom, price };

export const sentSide = (e: PricedEvent): Side | null => side(e.sent_amount, e.sent_denom, e.sent_price);
export const receivedSide = (e: PricedEvent): Side | null =>
  side(e.received_amount, e.received_denom, e.received_price);
export const feeSide = (e: PricedEvent): Side | null => side(e.fee_amount, e.fee_denom, e.fee_price);

/** Market value of a side in cents, or null where no price was published. */
export function worthOf({ amount, price }: Side, { decimals }: Denomination): bigint | null {
  return price === null ? null : valueInCents(amount, decimals, price);
}
