/**
 * Turns journal entries into what happens to pools. The entries are those of a replay with any lot method, because acts
 * do not depend on which lots leave. A tokenized share and the coins that it redeems are one asset.
 */
import { halfUp } from '../../../base/values/amount.js';
import { ownAccount } from '../../ledger/away.js';
import type { Entry } from '../../ledger/entry.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Rules } from '../../ledger/rules.js';
import { readSlices } from '../../ledger/slices.js';
import { linkKey } from '../../ledger/wallet.js';
import type { Act } from '../../pools/pool.js';

export interface RowAct extends Act {
  /** The entry of the row; undefined for coins from before the index. */
  readonly entry: Entry | undefined;
}

export interface AssetActs {
  readonly denom: string;
  readonly acts: RowAct[];
}

export interface ActContext {
  readonly rules: Rules;
  readonly refunds: Refunds;
  /** First day of the index in the zone of the books. */
  readonly firstDay: string;
  /** Returns the link of a row. */
  readonly linkOf: (row: string) => string | null | undefined;
}

/** Coins that are unclaimed, held or staked before the first row, by denom. */
type Opening = ReadonlyMap<string, bigint>;

/**
 * Returns the acts of each asset, in chain order.
 * @param opening coins from before the index without a stated lot
 */
export function actsOf(entries: readonly Entry[], opening: Opening, context: ActContext): AssetActs[] {
  const { refunds, firstDay } = context;
  const assets = new Assets(restoredUnits(entries), context);
  for (const [denom, units] of opening)
    assets.add(denom, { kind: 'enter', day: firstDay, units, money: null, entry: undefined });
  let receipt: { entry: Entry; money: bigint | null } | undefined;
  const flush = () => {
    if (receipt) assets.acquire(receipt.entry, receipt.money);
    receipt = undefined;
  };
  for (const entry of entries) {
    // A receipt with a cost that differs from its value has two entries.
    const isRest = receipt?.entry.event_id === entry.event_id && entry.act === 'acquire' && entry.quantity === null;
    if (receipt && isRest) {
      if (receipt.money !== null && isAsset(entry.debit_account)) receipt.money += entry.amount;
      continue;
    }
    flush();
    if (entry.act === 'acquire' || entry.act === 'open') {
      const isUnknown = entry.basis_unknown_quantity === entry.quantity;
      receipt = { entry, money: isUnknown ? null : entry.amount };
    } else assets.book(entry, refunds.isRefunded(entry.event_id));
  }
  flush();
  return assets.list();
}

/** Returns the units that refunds restored, by the id of the refunded row. */
function restoredUnits(entries: readonly Entry[]): Map<string, bigint> {
  const units = new Map<string, bigint>();
  for (const { act, reverses, quantity } of entries)
    if (act === 'restore' && reverses !== null && quantity !== null) units.set(reverses, quantity);
  return units;
}

const isAsset = (account: string) => account.startsWith('Digital Assets: ');

/** The act of rows that pay acquired coins to another wallet at once, such as redirected rewards. */
const LINKED = 'relieve-linked';

interface Acquired extends RowAct {
  units: bigint;
  money: bigint | null;
}

/** The category of rows that make shares of coins. All other moves make coins of shares. */
const TOKENIZED = 'tokenize_shares';

interface Parts {
  readonly shares: bigint;
  readonly coins: bigint;
}

/** Shares of a tokenized delegation and the coins from which they were made. */
interface Shares {
  /** Denom of the coins. */
  readonly denom: string;
  readonly held: Parts;
  /** What was sent to an own place elsewhere. */
  readonly away: Parts;
}

const NONE: Parts = { shares: 0n, coins: 0n };

const plus = (a: Parts, b: Parts): Parts => ({ shares: a.shares + b.shares, coins: a.coins + b.coins });

/** Splits shares, of at most a quantity, from the others. */
function split({ shares, coins }: Parts, quantity: bigint): { readonly taken: Parts; readonly rest: Parts } {
  const taken = quantity < shares ? quantity : shares;
  const part = taken === shares ? coins : halfUp(coins * taken, shares);
  return { taken: { shares: taken, coins: part }, rest: { shares: shares - taken, coins: coins - part } };
}

class Assets {
  private readonly acts = new Map<string, RowAct[]>();
  private readonly shares = new Map<string, Shares>();

  /** Acquisitions by link and denom. */
  private readonly made = new Map<string, Acquired[]>();

  constructor(
    private readonly restored: ReadonlyMap<string, bigint>,
    private readonly context: ActContext,
  ) {}

  add(denom: string, act: RowAct): void {
    if (act.units === 0n) return;
    const known = this.acts.get(denom);
    if (known) known.push(act);
    else this.acts.set(denom, [act]);
  }

  acquire(entry: Entry, money: bigint | null): void {
    const day = entry.act === 'open' ? entry.acquired! : (entry.acquired ?? entry.day);
    const act: Acquired = { kind: 'acquire', day, units: entry.quantity!, money, entry };
    this.add(entry.denom, act);
    const link = this.context.linkOf(entry.event_id);
    if (!link) return;
    const key = linkKey(link, entry.denom);
    this.made.set(key, [...(this.made.get(key) ?? []), act]);
  }

  book(entry: Entry, isRefunded: boolean): void {
    const { act, denom, quantity, proceeds, day } = entry;
    if (quantity === null) return;
    if (act === 'move') this.move(entry);
    if (act === 'return') this.comeHome(entry);
    if (act !== 'dispose' && act !== 'relieve' && act !== 'burn-deposit') return;
    if (this.isLinked(entry)) {
      this.passOn(entry);
      return;
    }
    const isAway = act === 'relieve' && entry.debit_account === ownAccount(this.context.rules);
    const { coins, rest, of } = this.redeemed(denom, this.leaving(entry, isRefunded), isAway);
    const made = { kind: act === 'dispose' ? 'dispose' : 'relieve', day, entry, ...(isAway && { isAway }) } as const;
    const paid = proceeds === null ? null : halfUp(proceeds * (quantity - rest), quantity);
    this.add(of, { ...made, units: coins, money: paid });
    const left = proceeds === null || paid === null ? null : proceeds - paid;
    this.add(denom, { ...made, units: rest, money: left });
  }

  /** Reports whether coins were paid to another wallet at once. A relief that the owner tagged has the account of its tag. */
  private isLinked({ act, category, debit_account: account }: Entry): boolean {
    const { out } = this.context.rules.category(category);
    return act === 'relieve' && out?.act === LINKED && out.account === account;
  }

  /** Strikes out acquired coins that went to another wallet at once. They never were in the pool. */
  private passOn({ event_id: id, denom, quantity }: Entry): void {
    const link = this.context.linkOf(id);
    let left = quantity!;
    for (const act of link ? (this.made.get(linkKey(link, denom)) ?? []) : []) {
      const rest = left < act.units ? act.units - left : 0n;
      left -= act.units - rest;
      if (act.money !== null && act.units > 0n) act.money = halfUp(act.money * rest, act.units);
      act.units = rest;
    }
  }

  /** Returns the units that leave the pool. */
  private leaving({ act, event_id: id, quantity, slices }: Entry, isRefunded: boolean): bigint {
    // What came home before the refund has left.
    if (isRefunded) return quantity! - (this.restored.get(id) ?? 0n);
    if (act !== 'burn-deposit') return quantity!;
    // What was deposited before the index was never in the pool.
    return readSlices(slices).reduce((sum, slice) => (slice.acquired === null ? sum : sum + slice.quantity), 0n);
  }

  list(): AssetActs[] {
    return [...this.acts].map(([denom, acts]) => ({ denom, acts: acts.filter(({ units }) => units > 0n) }));
  }

  private move(entry: Entry): void {
    const { denom, quantity: got, credit_denom: sent, credit_quantity: given, day } = entry;
    if (entry.category === TOKENIZED) {
      const known = this.shares.get(denom) ?? { denom: sent!, held: NONE, away: NONE };
      this.shares.set(denom, { ...known, held: plus(known.held, { shares: got!, coins: given! }) });
      return;
    }
    const { coins, rest } = this.redeemed(sent!, given!, false);
    const foreign = halfUp(got! * rest, given!);
    const own = got! - foreign;
    // After a slash, the same shares redeem fewer coins. These keep the cost, as lots do.
    if (own < coins) this.add(denom, { kind: 'shrink', day, units: coins - own, money: null, entry });
    else this.add(denom, { kind: 'enter', day, units: own - coins, money: 0n, entry });
    // Shares that came from others have an unknown cost.
    this.add(sent!, { kind: 'relieve', day, units: rest, money: null, entry });
    this.add(denom, { kind: 'enter', day, units: foreign, money: null, entry });
  }

  private comeHome(entry: Entry): void {
    const { denom, quantity, day } = entry;
    const known = this.shares.get(denom);
    const { taken, rest } = split(known?.away ?? NONE, quantity!);
    if (known) this.shares.set(denom, { ...known, held: plus(known.held, taken), away: rest });
    this.add(known?.denom ?? denom, { kind: 'return', day, units: taken.coins, money: null, entry });
    this.add(denom, { kind: 'return', day, units: quantity! - taken.shares, money: null, entry });
  }

  /** Returns the coins of shares that this owner has tokenized, and the number of other shares. */
  private redeemed(denom: string, quantity: bigint, isAway: boolean): { coins: bigint; rest: bigint; of: string } {
    const known = this.shares.get(denom);
    if (!known) return { coins: 0n, rest: quantity, of: denom };
    const { taken, rest } = split(known.held, quantity);
    this.shares.set(denom, { ...known, held: rest, away: isAway ? plus(known.away, taken) : known.away });
    return { coins: taken.coins, rest: quantity - taken.shares, of: known.denom };
  }
}
