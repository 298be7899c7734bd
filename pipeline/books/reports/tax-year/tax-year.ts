/** A tax year of one owner: income, and each part of a disposal with its cost by the country's rule. */

import { lastSecond } from '../../../base/values/zones.js';
import type { Valuer } from '../../currencies/valuer.js';
import { Away, hasReturns } from '../../ledger/away.js';
import type { Entry } from '../../ledger/entry.js';
import { isOpening, type OpeningHoldings } from '../../ledger/opening-coins.js';
import { type OpeningLot, openingEntries, unstatedCoins } from '../../ledger/opening-lots.js';
import { type Refunds, refundsOf } from '../../ledger/refunds.js';
import { eventsUntil, replayWallet, WalletState } from '../../ledger/replay.js';
import type { Rules } from '../../ledger/rules.js';
import { readSlices } from '../../ledger/slices.js';
import { fifo } from '../../methods/fifo.js';
import type { LotMethod } from '../../methods/method.js';
import { type Matched, type Part, type PoolMethod, type PoolTerms, withoutRoundTrips } from '../../pools/pool.js';
import { type Terms, USUAL } from '../../terms.js';
import { openHoldings } from '../positions.js';
import { INCOME } from '../summary/sheet.js';
import { type AssetActs, actsOf, type RowAct } from './acts.js';
import { type FreePeriod, isOver } from './free-period.js';
import type { Books } from './income-rule.js';

export type TaxMethod = { readonly lots: LotMethod } | { readonly pool: PoolMethod };

export interface TaxTerms extends Pick<Terms, 'zone'> {
  readonly valuer: Valuer;
  readonly method: TaxMethod;
  readonly yearStart: string;
  readonly unitRounding: PoolTerms['unitRounding'];
  readonly free: FreePeriod | null;
  /** Null if the law does not give a new cost to coins that are held when a day begins. */
  readonly revalued: Revaluation | null;
  /** What a holding of this length is. */
  readonly freeMeans: 'exempt' | 'long_term';
}

/** Coins that are held when a day begins cost the higher of their cost and their value at this instant. */
export interface Revaluation {
  /** YYYY-MM-DD in the zone of the books. */
  readonly day: string;
  /** Returns minor units; null without a price. */
  valueOf(denom: string, units: bigint): bigint | null;
}

/** A wallet, or all wallets of a person, whose coins have lots or a pool of their own. */
export interface Owner extends Books {
  readonly address: string;
  readonly opening: OpeningHoldings;
  readonly stated: readonly OpeningLot[];
}

/** First and last day of the year, and the first day of the index, in the zone of the books. */
export interface Year {
  readonly first: string;
  readonly last: string;
  readonly indexStart: string;
}

/** A part of a disposal: a slice of a lot, or a part of a pool. Amounts are minor units; null if unknown. */
export interface Line {
  readonly entry: Entry;
  readonly denom: string;
  /** Base units. */
  readonly units: bigint;
  readonly rule: Part['rule'] | 'lot' | 'before_index';
  readonly acquired: string | null;
  readonly proceeds: bigint | null;
  readonly cost: bigint | null;
  readonly gain: bigint | null;
  /** Null without a period, and for coins of a pool. */
  readonly isOver: boolean | null;
}

export interface OwnerYear {
  /** Disposals that no refund struck out. */
  readonly disposed: readonly Entry[];
  readonly lines: readonly Line[];
  /** Entries that credit an income account. */
  readonly income: readonly Entry[];
  /** Cost of what is held at the end of the year, by denom; null if a unit has an unknown cost. */
  readonly costs: ReadonlyMap<string, bigint | null>;
}

export function yearOfOwner(owner: Owner, year: Year, terms: TaxTerms, rules: Rules): OwnerYear {
  const refunds = refundsOf(owner.events, owner.decisions, rules);
  const books = { owner, year, terms, rules, refunds };
  return 'lots' in terms.method ? lotYear(books, terms.method.lots) : poolYear(books, terms.method.pool);
}

interface YearBooks {
  readonly owner: Owner;
  readonly year: Year;
  readonly terms: TaxTerms;
  readonly rules: Rules;
  readonly refunds: Refunds;
}

const isDisposal = ({ act, event_id: id }: Entry, refunds: Refunds) => act === 'dispose' && !refunds.isRefunded(id);

const isIncome = ({ credit_account: account }: Entry) => account.startsWith(INCOME);

function openBooks({ owner, terms, rules }: YearBooks, method: LotMethod): WalletState {
  const { address, opening, stated, decisions } = owner;
  const away = hasReturns(decisions.assets) ? new Away() : undefined;
  return new WalletState({ ...USUAL, ...terms, method, rules, address, opening, stated, away });
}

function lotYear(books: YearBooks, method: LotMethod): OwnerYear {
  const { owner, terms, refunds } = books;
  const { first, last, indexStart } = books.year;
  const wallet = openBooks(books, method);
  const lines: Line[] = [];
  const [income, disposed]: [Entry[], Entry[]] = [[], []];
  openingEntries(wallet, owner.stated, indexStart);
  const events = eventsUntil(owner.events, lastSecond(terms.zone, last));
  for (const entry of replayWallet(events, owner.decisions, wallet)) {
    if (entry.day < first) continue;
    if (isIncome(entry)) income.push(entry);
    if (!isDisposal(entry, refunds)) continue;
    disposed.push(entry);
    lines.push(...slicesOf(entry, terms));
  }
  const costs = openHoldings(wallet).map(({ holding: { denom }, open }): [string, bigint | null] => [
    denom,
    open.unknown > 0n || open.opening > 0n ? null : open.cost,
  ]);
  return { lines, income, disposed, costs: new Map(costs) };
}

function slicesOf(entry: Entry, { free }: TaxTerms): Line[] {
  return readSlices(entry.slices).map(({ acquired, quantity: units, basis: cost, proceeds }): Line => {
    const isBefore = acquired !== null && isOpening({ acquired });
    const day = isBefore ? null : acquired;
    return {
      ...{ entry, denom: entry.denom, units, acquired: day, proceeds, cost },
      rule: isBefore ? 'before_index' : acquired === null ? 'no_lot' : 'lot',
      gain: proceeds === null || cost === null ? null : proceeds - cost,
      isOver: free === null || day === null ? null : isOver(free, day, entry.day),
    };
  });
}

function poolYear(books: YearBooks, method: PoolMethod): OwnerYear {
  const { owner, terms, rules, refunds } = books;
  const { first, last, indexStart } = books.year;
  const wallet = openBooks(books, fifo);
  const opened = openingEntries(wallet, owner.stated, indexStart);
  const entries = [...opened, ...replayWallet(owner.events, owner.decisions, wallet)];
  const links = new Map(owner.events.map(({ id, link }) => [id, link]));
  const context = { rules, refunds, firstDay: indexStart, linkOf: (row: string) => links.get(row) };
  const isInYear = ({ day }: Pick<Entry, 'day'>) => day >= first && day <= last;
  const lines: Line[] = [];
  const costs = new Map<string, bigint | null>();
  for (const asset of actsOf(entries, unstatedCoins(owner.opening, owner.stated), context)) {
    const { denom } = asset;
    const { decimals } = rules.denomination(denom);
    const { parts, states } = matched(asset, method, { ...terms, decimals });
    for (const { act, ...part } of parts) {
      const { entry } = act as RowAct;
      if (entry && isInYear(act)) lines.push({ ...part, entry, denom, isOver: null });
    }
    const state = states.findLast(({ day }) => day <= last);
    if (state && state.units > 0n) costs.set(denom, state.cost);
  }
  const ofYear = entries.filter(isInYear);
  const disposed = ofYear.filter((entry) => isDisposal(entry, refunds));
  return { lines, income: ofYear.filter(isIncome), disposed, costs };
}

/** Matches the acts of an asset. Where the law gives coins a new cost on a day, they enter a new pool on this day. */
function matched({ denom, acts }: AssetActs, method: PoolMethod, terms: TaxTerms & PoolTerms): Matched {
  const { revalued } = terms;
  if (!revalued) return method.match(inOrder(acts), terms);
  const { day } = revalued;
  // Coins that come home are held on this day, wherever they are.
  const kept = withoutRoundTrips(inOrder(acts), () => day);
  const before = method.match(
    kept.filter((act) => act.day < day),
    terms,
  );
  const held = before.states.at(-1) ?? { units: 0n, cost: 0n };
  const value = revalued.valueOf(denom, held.units);
  const money = held.cost === null || value === null ? null : held.cost > value ? held.cost : value;
  const entered: RowAct = { kind: 'enter', day, units: held.units, money, entry: undefined };
  const later = kept.filter((act) => act.day >= day);
  const after = method.match(held.units > 0n ? [entered, ...later] : later, terms);
  return { parts: [...before.parts, ...after.parts], states: [...before.states, ...after.states] };
}

/** Sorts by day, because a stated day may be earlier than the row. */
const inOrder = (acts: AssetActs['acts']): RowAct[] =>
  [...acts].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
