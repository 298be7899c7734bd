/** Finds receipts that may be coins that come home, and those that a page proposes. Pages load it, so it imports nothing. */

/** The tag of a send to an own place. */
export const OWN_TRANSFER = 'own_transfer';

/** Categories of coins that may have been sent to an own place before. */
export const RETURNING: readonly string[] = ['transfer_in', 'ibc_in', 'contract_withdrawal', 'unclassified'];

/** Reports whether a decision with mode `return` may name the row. */
export const mayReturn = (row: { readonly category: string; readonly received_denom: string | null }): boolean =>
  row.received_denom !== null && RETURNING.includes(row.category);

/** Coins that went to an own place, or that came from one. */
export interface Movement {
  /** Id of the row. */
  readonly id: string;
  /** Wallet, or wallets whose coins have one account (own_wallets=carry). */
  readonly owner: string;
  readonly denom: string;
  readonly quantity: bigint;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Channel between the owner's keys on two chains; '' for other movements. */
  readonly channel: string;
}

/**
 * Returns the receipts that probably came home: at most what is still away of the sends to the own key over the same
 * channel within a year. Earlier receipts take the coins first.
 *
 * Example: 100 coins are sent over channel-1. Receipts of 60 and 40 over channel-1 are proposed, a third one is not.
 *
 * @param sends in chain order
 * @param receipts in chain order, without receipts that are no returns by the owner's answer
 */
export function probableReturns(sends: readonly Movement[], receipts: readonly Movement[]): ReadonlySet<string> {
  const away = sends.filter(({ channel }) => channel !== '').map((send) => ({ ...send, left: send.quantity }));
  const probable = new Set<string>();
  for (const receipt of receipts) {
    const fitting = away.filter(
      (send) =>
        send.left > 0n &&
        (['owner', 'denom', 'channel'] as const).every((member) => send[member] === receipt[member]) &&
        send.day <= receipt.day &&
        receipt.day <= nextYear(send.day),
    );
    if (fitting.reduce((sum, { left }) => sum + left, 0n) < receipt.quantity) continue;
    probable.add(receipt.id);
    let units = receipt.quantity;
    for (const send of fitting) {
      const taken = send.left < units ? send.left : units;
      send.left -= taken;
      units -= taken;
    }
  }
  return probable;
}

const nextYear = (day: string) => String(Number(day.slice(0, 4)) + 1).padStart(4, '0') + day.slice(4);
