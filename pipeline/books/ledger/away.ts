/**
 * Coins that wallets sent to an own place, such as an address of the same key on another chain or an exchange. Decisions
 * with mode `return` bring their lots home, in the order in which they were sent.
 *
 * Example: a wallet sends 100 coins. A return of 60 brings the first 60 home with their days and cost. A return of 50
 * brings the other 40 home; 10 coins were never sent, so they are a receipt of unknown basis.
 */
import type { PricedEvent } from '../../../schemas/types.generated.js';
import type { LotMethod } from '../methods/method.js';
import type { AssetDecisions } from './decisions.js';
import { OWN_TRANSFER } from './homecoming.js';
import { type Lot, LotQueue, type Parcel, parcelsOf, type Slice, type Taken, whole } from './lots.js';
import type { Rules } from './rules.js';

/** What a wallet does for coins that leave it and come home. */
interface Wallet {
  readonly method: LotMethod;
  arrivedLot(parcel: Parcel): Lot;
}

/** Returns the account of lots that are on their way to an own place. */
export const ownAccount = (rules: Rules): string => rules.tag(OWN_TRANSFER)!.out!.account;

/** A send to an own place. */
export interface AwaySend {
  readonly row: PricedEvent;
  readonly taken: Taken;
  /** Base units that have come home. They are the first ones of `taken`. */
  readonly home: bigint;
}

interface Sent extends AwaySend {
  home: bigint;
  /** What has not come home. */
  readonly left: LotQueue;
}

interface Account {
  /** Sends without a refund, in the order of sending. */
  readonly sends: Sent[];
  /** Number of the first sends that are wholly home. */
  done: number;
}

/** `excess` counts base units that were not away. */
export type Homecoming = Taken & { readonly excess: bigint };

/** What a row brought home to one of several wallets. */
type Recorded = Pick<Homecoming, 'short' | 'excess'> & { readonly parcels: readonly Parcel[] };

/** The accounts of coins that are away, one for each denom. */
export class Away {
  private readonly accounts = new Map<string, Account>();
  private readonly known = new Set<string>();
  private readonly recorded = new Map<string, Recorded>();
  private readonly refunded = new Map<string, bigint>();

  /**
   * @param isShared true if several wallets have one account. They must first be replayed together in chain order
   * (replayJointly). This records what each row brings home, for replays of single wallets afterwards
   */
  constructor(private readonly isShared = false) {}

  /** Sends without a refund, in the order of sending for each denom. */
  get sends(): readonly AwaySend[] {
    return [...this.accounts.values()].flatMap(({ sends }) => sends);
  }

  send(row: PricedEvent, taken: Taken, { method }: Wallet): void {
    if (this.known.has(row.id)) return;
    this.known.add(row.id);
    const left = new LotQueue(method);
    left.deposit(taken);
    this.accountOf(row.sent_denom!).sends.push({ row, taken, home: 0n, left });
  }

  /** Brings coins home to a wallet. @param units base units that the row received */
  bringHome(row: PricedEvent, units: bigint, wallet: Wallet): Homecoming {
    const denom = row.received_denom!;
    if (!this.isShared) return this.take(denom, units);
    const recorded = this.recorded.get(row.id) ?? this.record(row.id, this.take(denom, units), wallet);
    const { parcels, ...more } = recorded;
    return { slices: parcels.map((parcel) => whole(wallet.arrivedLot(parcel))), ...more };
  }

  /**
   * Takes a refunded send out of the account.
   * @param id id of the sending row
   * @returns base units of the send that have come home before
   */
  refund(id: string, denom: string): bigint {
    const account = this.accountOf(denom);
    const i = account.sends.findIndex(({ row }) => row.id === id);
    if (i >= 0) this.refunded.set(id, account.sends.splice(i, 1)[0]!.home);
    if (i >= 0 && i < account.done) account.done--;
    return this.refunded.get(id) ?? 0n;
  }

  private accountOf(denom: string): Account {
    const account = this.accounts.get(denom) ?? { sends: [], done: 0 };
    this.accounts.set(denom, account);
    return account;
  }

  private take(denom: string, units: bigint): Homecoming {
    const slices: Slice[] = [];
    let [short, excess] = [0n, units];
    const account = this.accountOf(denom);
    for (; excess > 0n && account.done < account.sends.length; account.done++) {
      const send = account.sends[account.done]!;
      const taken = send.left.withdraw(excess);
      slices.push(...taken.slices);
      send.home += excess - taken.excess;
      short += taken.short;
      excess = taken.excess;
      if (excess === 0n) break;
    }
    return { slices, short, excess };
  }

  private record(id: string, { slices, short, excess }: Homecoming, { method }: Wallet): Recorded {
    const recorded = { parcels: parcelsOf(slices, method), short, excess };
    this.recorded.set(id, recorded);
    return recorded;
  }
}

/** Reports whether any decision brings coins home. */
export const hasReturns = (assets: AssetDecisions): boolean =>
  [...assets.values()].some(({ mode }) => mode === 'return');
