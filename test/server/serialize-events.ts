/** Serialisation of rows that tests make up, as the night writes them into the wallet index. */
import type { FlaggedReceipt, PricedEvent } from '../../schemas/types.generated.js';

const side = (amount: bigint | null, denom: string | null, price: bigint | null) =>
  amount === null || denom === null ? null : [amount.toString(), denom, price === null ? null : price.toString()];

/** The text of a segment with the events of one wallet, in order, which eventsFormat.parse reads. */
export function serializeEvents(events: readonly PricedEvent[]): string {
  return JSON.stringify(
    events.map((e) => [
      e.height,
      e.position,
      e.id,
      e.time,
      e.tx_hash,
      e.category,
      side(e.sent_amount, e.sent_denom, e.sent_price),
      side(e.received_amount, e.received_denom, e.received_price),
      side(e.fee_amount, e.fee_denom, e.fee_price),
      e.counterparty,
      e.validator,
      e.reward_trigger,
      e.detail,
      e.memo,
      e.link,
      e.to_own_key ? 1 : 0,
      e.unsolicited ? 1 : 0,
    ]),
  );
}

/** The text of the flagged receipts of one wallet, in order, which flaggedFormat.parse reads. */
export function serializeFlagged(receipts: readonly FlaggedReceipt[]): string {
  return JSON.stringify(
    receipts.map((r) => [
      r.record_id,
      r.height,
      r.position,
      r.time,
      r.tx_hash,
      r.denom,
      r.quantity.toString(),
      r.sender,
      r.memo,
      r.reason,
      r.evidence,
      r.claimed_symbol,
    ]),
  );
}
