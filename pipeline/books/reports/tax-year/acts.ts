/**
 * Turns journal entries into what happens to pools. The entries are those of a replay with any lot method, because acts
 * do not depend on which lots leave. A tokenized share and the coins that it redeems are one asset.
 */
import { halfUp } from '../../../base/values/amount.js';
import type { Entry } from '../../ledger/entry.js';
import type { Refunds } from '../../ledger/refunds.js';
import type { Act } from '../../pools/pool.js';

export interface RowAct extends Act {
  /** The entry of the row; undefined for coins from before the index. */
  readonly entry: Entry | undefined;
}

export interface AssetActs {
  readonly denom: string;
  readonly acts: RowAct[];
}

/** Coins that are unclaimed, held or staked before the first row, by denom. */
type Opening = ReadonlyMap<string, bigint>;

/**
 * Returns the acts of each asset, in chain order.
 * @param opening coins from before the index without a stated lot
 * @param firstDay first day of the index in the zone of the books
 */
export function actsOf(entries: Iterable<Entry>, refunds: Refunds, opening: Opening, firstDay: string): AssetActs[] {
  const assets = new Assets();
  for (const [denom, units] of opening)
    assets.add(denom, { kind: 'acquire', day: firstDay, units, money: null, entry: undefined });
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
    } else if (!refunds.isRefunded(entry.event_id)) assets.book(entry);
  }
  flush();
  return assets.list();
}

const isAsset = (account: string) => account.startsWith('Digital Assets: ');

/** Shares of a tokenized delegation and the coins from which they were made. */
interface Shares {
  readonly denom: string;
  shares: bigint;
  coins: bigint;
}

class Assets {
  private readonly acts = new Map<string, RowAct[]>();
  private readonly shares = new Map<string, Shares>();

  add(denom: string, act: RowAct): void {
    const known = this.acts.get(denom);
    if (known) known.push(act);
    else this.acts.set(denom, [act]);
  }

  acquire(entry: Entry, money: bigint | null): void {
    const day = entry.act === 'open' ? entry.acquired! : (entry.acquired ?? entry.day);
    if (entry.quantity! > 0n) this.add(entry.denom, { kind: 'acquire', day, units: entry.quantity!, money, entry });
  }

  book(entry: Entry): void {
    const { act, denom, quantity, proceeds, day } = entry;
    if (act === 'move') this.move(entry);
    // A pool does not know which of its coins were away, so their cost is unknown.
    if (act === 'return' && quantity) this.add(denom, { kind: 'acquire', day, units: quantity, money: null, entry });
    if ((act !== 'dispose' && act !== 'relieve' && act !== 'burn-deposit') || !quantity) return;
    const kind = act === 'dispose' ? 'dispose' : 'relieve';
    const { coins, rest, of } = this.redeemed(denom, quantity);
    const paid = proceeds === null ? null : halfUp(proceeds * (quantity - rest), quantity);
    if (coins > 0n) this.add(of, { kind, day, units: coins, money: kind === 'dispose' ? paid : null, entry });
    const left = proceeds === null || paid === null ? null : proceeds - paid;
    if (rest > 0n) this.add(denom, { kind, day, units: rest, money: kind === 'dispose' ? left : null, entry });
  }

  list(): AssetActs[] {
    return [...this.acts].map(([denom, acts]) => ({ denom, acts }));
  }

  private move(entry: Entry): void {
    const { denom, quantity, credit_denom: sent, credit_quantity: given, day } = entry;
    const redeemed = this.redeemed(sent!, given!);
    if (redeemed.of === denom) {
      // A slash between the two makes fewer coins of the same shares. Shares that came from others have an unknown cost.
      const lost = redeemed.coins - (redeemed.rest > 0n ? 0n : quantity!);
      if (redeemed.rest === 0n && lost > 0n) this.add(denom, { kind: 'relieve', day, units: lost, money: null, entry });
      const more = quantity! - redeemed.coins;
      if (more <= 0n) return;
      if (redeemed.rest > 0n) this.add(sent!, { kind: 'relieve', day, units: redeemed.rest, money: null, entry });
      this.add(denom, { kind: 'acquire', day, units: more, money: redeemed.rest > 0n ? null : 0n, entry });
      return;
    }
    const known = this.shares.get(denom) ?? { denom: sent!, shares: 0n, coins: 0n };
    this.shares.set(denom, { ...known, shares: known.shares + quantity!, coins: known.coins + given! });
  }

  /** Returns the coins of shares that this owner has tokenized, and the number of other shares. */
  private redeemed(denom: string, quantity: bigint): { coins: bigint; rest: bigint; of: string } {
    const known = this.shares.get(denom);
    if (!known || known.shares === 0n) return { coins: 0n, rest: quantity, of: known?.denom ?? denom };
    const taken = quantity < known.shares ? quantity : known.shares;
    const coins = taken === known.shares ? known.coins : halfUp(known.coins * taken, known.shares);
    known.shares -= taken;
    known.coins -= coins;
    return { coins, rest: quantity - taken, of: known.denom };
  }
}
