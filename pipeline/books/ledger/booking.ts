/** Collects the postings of one chain event and builds its journal entries from them. */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { formatDecimal } from '../../base/values/amount.js';
import type { Entry } from './entry.js';
import { basisUnknown, type Measured, termOfTaken, writeSlices } from './slices.js';
import type { Holding, WalletState } from './wallet.js';

const REALIZED = 'Realized Gain/Loss';

const UNKNOWN_BASIS = 'Equity: Unknown Basis';

export interface Posting {
  readonly act: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: bigint;
  readonly holding: Holding;
  /** Base units. Null if the entry moves no coins, such as a gain entry. */
  readonly quantity: bigint | null;
  /** micro-USD per token. */
  readonly price: bigint | null;
  readonly memo: string;
  readonly taken?: Measured;
  /** Base units of `holding` with unknown basis. Set only if `taken` counts base units of another denom. */
  readonly unknown?: bigint;
  /** Cents. Null or undefined unless the posting is a disposal with a price. */
  readonly proceeds?: bigint | null;
  readonly made?: { readonly acquired: string; readonly isUnknown: boolean };
  readonly reverses?: string | null | undefined;
  readonly credited?: { readonly holding: Holding; readonly quantity: bigint; readonly price: bigint | null } | null;
}

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

  get entries(): Entry[] {
    const day = this.wallet.zone.dayOf(this.event.time);
    return this.postings.map((posting, leg) => entryOf(this.event, day, posting, leg));
  }

  postGain(gain: bigint, contra: string, like: Beside): void {
    this.postBeside('gain', REALIZED, gain, contra, like);
  }

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

function entryOf(event: PricedEvent, day: string, posting: Posting, leg: number): Entry {
  const { holding, credited, taken, made } = posting;
  const disposes = posting.act === 'dispose' && taken !== undefined;
  const isCarried = posting.act === 'carry' && taken !== undefined;
  const entry: Entry = {
    address: event.address,
    height: event.height,
    position: event.position,
    leg,
    entry_id: `${event.id}-${leg}`,
    event_id: event.id,
    time: event.time,
    day,
    tx_hash: event.tx_hash,
    act: posting.act,
    debit_account: posting.debit,
    credit_account: posting.credit,
    amount: posting.amount,
    asset: holding.symbol,
    denom: holding.denom,
    quantity: posting.quantity,
    credit_asset: credited ? credited.holding.symbol : null,
    credit_denom: credited ? credited.holding.denom : null,
    credit_quantity: credited ? credited.quantity : null,
    credit_price: credited ? credited.price : null,
    category: event.category,
    memo: posting.memo,
    slices: taken && !isCarried ? writeSlices(taken.slices) : null,
    reverses: posting.reverses ?? null,
    price: posting.price,
    counterparty: event.counterparty,
    validator: event.validator,
    basis_unknown_quantity: posting.unknown ?? unknownOf(posting),
    proceeds: posting.proceeds ?? null,
    acquired: taken ? taken.acquired : (made?.acquired ?? null),
    term: disposes ? termOfTaken(taken, day) : null,
    tx_memo: event.memo,
  };
  return isCarried ? withLazySlices(entry, taken) : entry;
}

/** Writes slices only when they are read. A transfer between own wallets may move thousands, and only books read them. */
const withLazySlices = (entry: Entry, taken: Measured): Entry =>
  Object.defineProperty(entry, 'slices', { get: () => writeSlices(taken.slices), enumerable: true });

const BEFORE_THE_INDEX = 'before the index';

/**
 * Returns memos about missing basis or lots, such as `basis unknown of 4 ATOM` and `no lot for 25 ATOM (before the
 * index)`.
 */
export function shortageNotes(measured: Measured, holding: Holding, wallet: WalletState, reason?: string): string[] {
  const { unknown, opening, short } = measured;
  const shown = (units: bigint) => `${formatDecimal(units, holding.decimals)} ${holding.symbol}`;
  const words: string[] = [];
  if (unknown > 0n) words.push(`basis unknown of ${shown(unknown)}`);
  if (opening > 0n) words.push(`no lot for ${shown(opening)} (${BEFORE_THE_INDEX})`);
  if (short > 0n) words.push(`no lot for ${shown(short)} (${reason ?? shortageReason(holding, wallet)})`);
  return words;
}

function shortageReason({ decidedAway }: Holding, { opening }: WalletState): string {
  if (decidedAway > 0n) return 'by your decision';
  return opening === undefined ? BEFORE_THE_INDEX : 'it is not known why';
}
