/** The journal entries of one event, in the order in which they are posted. */
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import type { Holding, WalletState } from './wallet.js';

/** The account of realized gains and losses. */
const REALIZED = 'Realized Gain/Loss';

export interface Posting {
  readonly act: string;
  readonly debit: string;
  readonly credit: string;
  /** Cents, not negative. */
  readonly amount: bigint;
  readonly holding: Holding;
  /** Base units, or null on a gain entry. */
  readonly quantity: bigint | null;
  /** micro-USD, or null. */
  readonly price: bigint | null;
  readonly memo: string;
  readonly slices?: string | null;
  readonly reverses?: string | null | undefined;
  /** The credited asset where it is another. */
  readonly credited?: { readonly holding: Holding; readonly quantity: bigint; readonly price: bigint | null } | null;
}

export class Booking {
  readonly entries: LedgerEntry[] = [];

  constructor(
    readonly wallet: WalletState,
    readonly event: PricedEvent,
  ) {}

  post(posting: Posting): void {
    const { event, entries } = this;
    const { holding, credited } = posting;
    const leg = entries.length;
    entries.push({
      address: event.address,
      height: event.height,
      position: event.position,
      leg,
      entry_id: `${event.id}-${leg}`,
      event_id: event.id,
      time: event.time,
      tx_hash: event.tx_hash,
      act: posting.act,
      debit_account: posting.debit,
      credit_account: posting.credit,
      amount_usd: posting.amount,
      asset: holding.symbol,
      denom: holding.denom,
      quantity: posting.quantity,
      credit_asset: credited ? credited.holding.symbol : null,
      credit_denom: credited ? credited.holding.denom : null,
      credit_quantity: credited ? credited.quantity : null,
      credit_price_usd: credited ? credited.price : null,
      category: event.category,
      memo: posting.memo,
      slices: posting.slices ?? null,
      reverses: posting.reverses ?? null,
      price_usd: posting.price,
      counterparty: event.counterparty,
      validator: event.validator,
    });
  }

  /** Posts a gain (credit) or loss (debit) against the contra account; nothing for zero. */
  postGain(gain: bigint, contra: string, like: Pick<Posting, 'holding' | 'price' | 'memo' | 'reverses'>): void {
    if (gain === 0n) return;
    const { holding, price, memo, reverses } = like;
    const won = gain > 0n;
    this.post({
      act: 'gain',
      debit: won ? contra : REALIZED,
      credit: won ? REALIZED : contra,
      amount: won ? gain : -gain,
      holding,
      quantity: null,
      price,
      memo,
      reverses,
    });
  }
}
