/** Transfers between requested wallets that own_wallets=carry would affect. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { formatDecimal } from '../../ledger/amount.js';
import type { Rules } from '../../ledger/rules.js';
import { Groups } from './groups.js';

export interface OwnTransferLine {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly denom: string;
  readonly count: number;
  readonly quantity: string;
  /** UTC days. */
  readonly first: string;
  readonly last: string;
}

/** @param sent the sending rows, in chain order per wallet */
export function ownTransferLines(sent: Iterable<PricedEvent>, rules: Rules): OwnTransferLine[] {
  const groups = new Groups<
    { from: string; to: string; denom: string },
    { count: number; quantity: bigint; first: string; last: string }
  >(() => ({ count: 0, quantity: 0n, first: '', last: '' }));
  for (const { address, counterparty, sent_denom, sent_amount, time } of sent) {
    const group = groups.of({ from: address, to: counterparty!, denom: sent_denom! });
    group.count++;
    group.quantity += sent_amount!;
    group.first ||= time.slice(0, 10);
    group.last = time.slice(0, 10);
  }
  return groups.list().map(({ from, to, denom, count, quantity, first, last }) => {
    const { symbol: asset, decimals } = rules.denomination(denom);
    return { from, to, asset, denom, count, quantity: formatDecimal(quantity, decimals), first, last };
  });
}
