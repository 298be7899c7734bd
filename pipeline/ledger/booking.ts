/** The journal entries of one event, in the order in which they are posted. */
import type { LedgerEntry, PricedEvent } from '../../schemas/types.generated.js';
import { acquiredOf, basisUnknown, type Measured, termOfTaken, writeSlices } from './slices.js';
import type { Holding, WalletState } from './wallet.js';

/** The account of realized gains and losses. */
const REALIZED = 'Realized Gain/Loss';

/** The account of what coins of unknown basis were worth when they were disposed of. */
const UNKNOWN_BASIS = 'Equity: Unknown Basis';

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
  /** The slices that it took, moved or brought back. */
  readonly taken?: Measured;
  /** Base units of the quantity whose basis is unknown, where what was taken is counted in another denom. */
  readonly unknown?: bigint;
  /** Cents, of a disposal with a price. */
  readonly proceeds?: bigint | null;
  /** The lot that it makes: its acquired day, and whether its basis is unknown. */
  readonly made?: { readonly acquired: string; readonly isUnknown: boolean };
  readonly reverses?: string | null | undefined;
  /** The credited asset where it is another. */
  readonly credited?: { readonly holding: Holding; readonly quantity: bigint; readonly price: bigint | null } | null;
}

/** Members that an entry beside a relief has in common with it. */
type Beside = Pick<Posting, 'holding' | 'price' | 'memo' | 'reverses'>;

function unknownOf({ taken, made, quantity }: Posting): bigint | null {
  if (taken) return basisUnknown(taken);
  if (!made) return null;
  return made.isUnknown || quantity === null ? quantity : 0n;
}

export class Booking {
  private readonly postings: Posting[] = [];

  constructor(
    readonly wallet: WalletState,
    readonly event: PricedEvent,
  ) {}

  post(posting: Posting): void {
    this.postings.push(posting);
  }

  /** The postings as rows. They are made when they are asked for: who needs the lots alone asks for none. */
  get entries(): LedgerEntry[] {
    return this.postings.map((posting, leg) => entryOf(this.event, posting, leg));
  }

  /** Posts a gain (credit) or loss (debit) against the contra account; nothing for zero. */
  postGain(gain: bigint, contra: string, like: Beside): void {
    this.postBeside('gain', REALIZED, gain, contra, like);
  }

  /**
   * Posts what coins of unknown basis were worth when they left, so that expenses, sales and swaps show their whole worth; a negative
   * amount undoes that. Nothing for zero.
   */
  postUnknownBasis(worth: bigint, contra: string, like: Beside): void {
    this.postBeside('unknown-basis', UNKNOWN_BASIS, worth, contra, like);
  }

  private postBeside(act: string, account: string, amount: bigint, contra: string, like: Beside): void {
    if (amount === 0n) return;
    const { holding, price, memo, reverses } = like;
    const credits = amount > 0n;
    this.post({
      act,
      debit: credits ? contra : account,
      credit: credits ? account : contra,
      amount: credits ? amount : -amount,
      holding,
      quantity: null,
      price,
      memo,
      reverses,
    });
  }
}

function entryOf(event: PricedEvent, posting: Posting, leg: number): LedgerEntry {
  const { holding, credited, taken, made } = posting;
  const disposes = posting.act === 'dispose' && taken !== undefined;
  return {
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
    slices: taken ? writeSlices(taken.slices) : null,
    reverses: posting.reverses ?? null,
    price_usd: posting.price,
    counterparty: event.counterparty,
    validator: event.validator,
    basis_unknown_quantity: posting.unknown ?? unknownOf(posting),
    proceeds_usd: posting.proceeds ?? null,
    acquired: taken ? acquiredOf(taken) : (made?.acquired ?? null),
    term: disposes ? termOfTaken(taken, event.time.slice(0, 10)) : null,
    tx_memo: event.memo,
  };
}
