/** Coins that went to an own place and came home, in random wallets: nothing is lost, made, younger or dearer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import { Away } from '../../../pipeline/books/ledger/away.js';
import { type Decisions, noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { basisOf, type Slice, withoutFirst } from '../../../pipeline/books/ledger/lots.js';
import { BEFORE_INDEX } from '../../../pipeline/books/ledger/opening-coins.js';
import { refundsOf } from '../../../pipeline/books/ledger/refunds.js';
import { replayWallet, WalletState } from '../../../pipeline/books/ledger/replay.js';
import { type EntrySlice, measure, readSlices } from '../../../pipeline/books/ledger/slices.js';
import { hifo } from '../../../pipeline/books/methods/hifo.js';
import { lifo } from '../../../pipeline/books/methods/lifo.js';
import { Books, byRow } from '../../../pipeline/books/reports/books/transactions.js';
import { openHoldings } from '../../../pipeline/books/reports/positions.js';
import { Sheet } from '../../../pipeline/books/reports/summary/sheet.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { DENOMS, type Story, stories } from './random-wallets.js';
import { balances, carriedBetween, hash, makeEvent, replay, rules } from './wallets.js';

const OWN = 'Equity: Own-Wallet Transfers';
const OPENING = new Map(DENOMS.map((denom) => [denom, 4_000_000n]));
const METHODS = [USUAL.method, lifo, hifo];
const RETURNING = ['transfer_in', 'ibc_in', 'unclassified', 'contract_withdrawal'];

const OWN_TAG = rules.tag('own_transfer')!;

/** A send to an own place, its refund, or a receipt that comes home. */
const travel = fc.record({
  at: fc.nat(99),
  kind: fc.constantFrom('packet', 'packet', 'send', 'refund', 'home', 'home', 'home'),
  category: fc.constantFrom(...RETURNING),
  amount: fc.oneof(fc.bigInt(1n, 5n), fc.bigInt(1n, 9_000_000n)),
  denom: fc.constantFrom(...DENOMS),
});
type Travel = typeof travel extends fc.Arbitrary<infer T> ? T : never;
const travels = fc.array(travel, { minLength: 4, maxLength: 14, size: 'max' });

/** Returns a place between two transactions. */
function placeIn(events: readonly PricedEvent[], percent: number): number {
  let place = Math.floor((percent * events.length) / 100);
  while (events[place] && events[place]!.tx_hash === events[place - 1]?.tx_hash) place++;
  return place;
}

/** Adds travels to the rows of wallets, in their order. @param owners whose row each of them is */
function travelling(
  { events, decisions }: Pick<Story, 'events' | 'decisions'>,
  travels: readonly Travel[],
  owners = ['A'],
): Story {
  const rows = [...events];
  const tags = new Map(decisions.tags);
  const assets = new Map(decisions.assets);
  const packets: PricedEvent[] = [];
  for (const [n, { at, kind, category, amount, denom }] of travels.toSorted((a, b) => a.at - b.at).entries()) {
    const place = placeIn(rows, at);
    const [packet] = kind === 'refund' ? packets.splice(0, 1) : [];
    const address = packet?.address ?? owners[n % owners.length]!;
    const add = (category: string, side: 'sent' | 'received', of: bigint, more: Partial<PricedEvent>) => {
      const id = `travel-${n}`;
      const coin = { [`${side}_amount`]: of, [`${side}_denom`]: packet?.sent_denom ?? denom };
      const day = rows[place]?.time.slice(0, 10) ?? rows.at(-1)?.time.slice(0, 10) ?? '2026-01-01';
      const event = makeEvent(1, day, category, { address, id, tx_hash: hash(90_000 + n), ...coin, ...more });
      rows.splice(place, 0, event);
      return event;
    };
    if (kind === 'packet') packets.push(add('ibc_out', 'sent', amount, { to_own_key: true, link: `travel-${n}` }));
    else if (kind === 'send') tags.set(add('transfer_out', 'sent', amount, {}).id, { out: OWN_TAG });
    else if (packet) add('ibc_refund', 'received', packet.sent_amount!, { link: packet.link });
    else if (kind === 'home') assets.set(add(category, 'received', amount, {}).id, { mode: 'return' });
  }
  return { events: rows, tags: {}, decisions: { tags, assets } };
}

/** Takes away everything that sends coins to an own place. */
function stayingAtHome({ events, decisions: { tags, assets } }: Story): Story {
  return {
    events: events.map((event) => ({ ...event, to_own_key: false })),
    tags: {},
    decisions: { tags: new Map([...tags].filter(([, { out }]) => out !== OWN_TAG)), assets },
  };
}

const storyWithReturns = fc.tuple(stories(true), travels).map(([story, its]) => travelling(story, its));

const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n);
const costOf = (slices: Iterable<Slice>) => sum(Array.from(slices, (slice) => basisOf(slice) ?? 0n));
const unitsOf = (slices: Iterable<Slice>) => sum(Array.from(slices, ({ from, to }) => to - from));

interface Replayed {
  readonly wallet: WalletState;
  readonly entries: readonly Entry[];
  readonly away: Away;
}

function booksOf(
  { events }: Pick<Story, 'events'>,
  decisions: Decisions,
  method = USUAL.method,
  opening = OPENING,
): Replayed {
  const away = new Away();
  const wallet = new WalletState({ ...USUAL, method, rules, address: 'A', opening, away });
  return { wallet, away, entries: [...replayWallet(events, decisions, wallet)] };
}

/** Base units by denom that the wallet has by its lots. */
const coinsOf = ({ holdings }: WalletState) =>
  new Map(Array.from(holdings.values(), ({ denom, lots, unmatched }) => [denom, unitsOf(lots) - unmatched]));

const costIn = ({ holdings, escrows }: WalletState) =>
  sum([...Array.from(holdings.values(), ({ lots }) => costOf(lots)), ...Array.from(escrows.values(), costOf)]);

const costAway = (away: Away) => sum(away.sends.map(({ taken, home }) => costOf(withoutFirst(taken, home).slices)));

const assetsIn = (entries: readonly Entry[]) =>
  sum([...balances(entries)].filter(([account]) => account.startsWith('Digital Assets: ')).map(([, cents]) => cents));

/** Reports whether coins left or moved that had no lot. Their number is not known afterwards. */
const lacksLots = (entries: readonly Entry[]) =>
  entries.some(({ slices }) => readSlices(slices).some(({ acquired }) => acquired === null));

test('coins and cost are conserved: in the wallet, away, or gone', () => {
  const sums = { returns: 0, compared: 0 };
  const openings = fc.constantFrom(OPENING, new Map(DENOMS.map((denom) => [denom, 10n ** 12n])));
  fc.assert(
    fc.property(storyWithReturns, fc.constantFrom(...METHODS), openings, (story, method, opening) => {
      const { wallet, entries, away } = booksOf(story, story.decisions, method, opening);
      sums.returns += entries.filter(({ act }) => act === 'return').length;
      const balance = balances(entries);
      assert.equal(sum(balance.values()), 0n);
      assert.equal(assetsIn(entries), costIn(wallet));
      assert.equal(balance.get(OWN) ?? 0n, costAway(away));
      const { tags, assets } = story.decisions;
      const kept = new Map([...assets].filter(([, { mode }]) => mode !== 'return'));
      const without = booksOf(story, { tags, assets: kept }, method, opening);
      if (lacksLots(entries) || lacksLots(without.entries)) return;
      sums.compared++;
      assert.deepEqual(coinsOf(wallet), coinsOf(without.wallet));
    }),
    { numRuns: 1500, seed: 20260501 },
  );
  assert.ok(sums.returns > 1000 && sums.compared > 700, JSON.stringify(sums));
});

test('the lots of each send tie to its relief, and a refunded send has none', () => {
  fc.assert(
    fc.property(storyWithReturns, fc.constantFrom(...METHODS), (story, method) => {
      const { entries, away } = booksOf(story, story.decisions, method);
      const refunded = new Set(entries.filter(({ act }) => act === 'restore').map(({ reverses }) => reverses));
      const isOwn = ({ act, debit_account }: Entry) => act === 'relieve' && debit_account === OWN;
      const listed = new Map(away.sends.map((send) => [send.row.id, send]));
      for (const { event_id: id, quantity, amount } of entries.filter(isOwn)) {
        const send = listed.get(id);
        if (!send) assert.ok(refunded.has(id) || story.events.some(isRefundOf(id, story)), id);
        else assert.equal(measure(send.taken, quantity!, null).basis, amount);
      }
      assert.equal(listed.size, entries.filter((entry) => isOwn(entry) && listed.has(entry.event_id)).length);
    }),
    { numRuns: 800, seed: 20260506 },
  );
});

/** A refund of a send that is wholly home restores nothing, so no entry reverses the send. */
const isRefundOf = (id: string, { events }: Story) => {
  const sent = events.find((event) => event.id === id)!;
  return ({ category, link }: PricedEvent) => category === 'ibc_refund' && link === sent.link;
};

test('ledger programs and the summary follow the lots of coins that come home', () => {
  fc.assert(
    fc.property(storyWithReturns, (story) => {
      const { entries, wallet } = booksOf(story, story.decisions);
      const plan = new Books('A', OPENING);
      for (const row of byRow(entries)) plan.book(row);
      const books = new Books('A', OPENING, plan);
      for (const row of byRow(entries)) {
        const { postings } = books.book(row);
        const money = postings.map((one) =>
          'cents' in one ? one.cents : one.lot ? signed(one.units, one.lot.basis) : 0n,
        );
        assert.equal(sum(money), 0n, JSON.stringify(row[0].memo));
      }
      const sheet = new Sheet(rules, USUAL.zone);
      const refunds = refundsOf(story.events, story.decisions, rules);
      for (const entry of entries) sheet.add(entry, refunds);
      sheet.close(openHoldings(wallet));
      const scope = { addresses: ['A'], days: ['2026-01-01', '2026-12-31'], closingDay: '2026-12-31' } as const;
      const { accounts } = sheet.lines(scope);
      for (const { account, debit_usd, credit_usd } of accounts)
        assert.equal(
          parseDecimal(debit_usd, 2) - parseDecimal(credit_usd, 2),
          balances(entries).get(account) ?? 0n,
          account,
        );
    }),
    { numRuns: 400, seed: 20260507 },
  );
});

const signed = (units: bigint, basis: bigint) => (units < 0n ? -basis : basis);

/** What is away of one send: slices in the order of its relief. */
interface Sent {
  readonly id: string;
  readonly parts: { acquired: string | null; units: bigint; basis: bigint | null; left: bigint; cost: bigint }[];
}

/** Follows the journal alone: what each return may have taken, first in, first out. */
class Followed {
  private readonly sends = new Map<string, Sent[]>();

  note({ act, debit_account, denom, event_id, reverses, slices }: Entry): void {
    const sends = this.sends.get(denom) ?? [];
    this.sends.set(denom, sends);
    if (act === 'relieve' && debit_account === OWN)
      sends.push({
        id: event_id,
        parts: readSlices(slices).map(({ acquired, quantity, basis }) => ({
          ...{ acquired, units: quantity, basis, left: quantity, cost: 0n },
        })),
      });
    else if (act === 'restore') {
      const at = sends.findIndex(({ id }) => id === reverses);
      if (at < 0) return;
      this.takeHome([sends[at]!], readSlices(slices));
      assert.ok(
        sends[at]!.parts.every(({ left }) => left === 0n),
        'a refund restores all that is away of its send',
      );
      sends.splice(at, 1);
    } else if (act === 'return') this.takeHome(sends, readSlices(slices));
  }

  private takeHome(sends: readonly Sent[], slices: readonly EntrySlice[]): void {
    const parts = sends.flatMap((send) => send.parts).filter(({ left }) => left > 0n);
    const without = slices.filter(({ acquired }) => acquired === null);
    const lots = slices.filter(({ acquired }) => acquired !== null);
    let bare = sum(without.map(({ quantity }) => quantity));
    for (const part of parts) {
      if (part.acquired === null) {
        const units = bare < part.left ? bare : part.left;
        bare -= units;
        part.left -= units;
        if (part.left === 0n) continue;
        break;
      }
      const slice = lots.shift();
      if (!slice) break;
      assert.equal(slice.acquired, part.acquired, 'no lot is younger or older');
      assert.equal(slice.basis === null, part.basis === null);
      // Neighbors of one day and unknown cost arrive in another wallet as one.
      const isJoined = slice.basis === null && slice.quantity > part.left;
      if (isJoined) lots.unshift({ ...slice, quantity: slice.quantity - part.left });
      assert.ok(isJoined || slice.quantity <= part.left, 'first in, first out');
      part.left -= isJoined ? part.left : slice.quantity;
      part.cost += slice.basis ?? 0n;
      assert.ok(part.cost <= (part.basis ?? 0n), 'no lot is dearer');
      if (part.left === 0n) assert.equal(part.cost, part.basis ?? 0n, 'what is wholly home has its whole cost');
    }
    assert.deepEqual([lots, bare], [[], 0n]);
  }
}

test('returns take what was sent first, with its days and its cost', () => {
  fc.assert(
    fc.property(storyWithReturns, fc.constantFrom(...METHODS), (story, method) => {
      const followed = new Followed();
      for (const entry of booksOf(story, story.decisions, method).entries) followed.note(entry);
    }),
    { numRuns: 1500, seed: 20260502 },
  );
});

test('a trip that comes home at once is as if it had never been', () => {
  const trip = fc.record({ at: fc.nat(99), amount: fc.bigInt(1n, 12_000_000n), denom: fc.constantFrom(...DENOMS) });
  fc.assert(
    fc.property(
      stories().map(stayingAtHome),
      fc.array(trip, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...METHODS),
      (story, trips, method) => {
        const events = [...story.events];
        const assets = new Map(story.decisions.assets);
        for (const [n, { at, amount, denom }] of trips.entries()) {
          const place = placeIn(events, at);
          const day = events[place]?.time.slice(0, 10) ?? '2026-01-01';
          const out = { sent_amount: amount, sent_denom: denom, to_own_key: true };
          const home = { received_amount: amount, received_denom: denom, counterparty: 'osmo1own' };
          const [left, back] = [
            makeEvent(1000 + n, day, 'ibc_out', { ...out, id: `trip-${n}-out`, tx_hash: hash(50_000 + 2 * n) }),
            makeEvent(1000 + n, day, 'ibc_in', { ...home, id: `trip-${n}-in`, tx_hash: hash(50_001 + 2 * n) }),
          ];
          assets.set(back.id, { mode: 'return' });
          events.splice(place, 0, left, back);
        }
        const stayed = booksOf(story, story.decisions, method);
        const { wallet, entries, away } = booksOf({ events }, { tags: story.decisions.tags, assets }, method);
        assert.deepEqual(
          entries.filter(({ event_id }) => !event_id.startsWith('trip-')),
          stayed.entries,
        );
        assert.deepEqual(
          [...wallet.holdings.values()].flatMap(({ lots }) => [...lots]),
          [...stayed.wallet.holdings.values()].flatMap(({ lots }) => [...lots]),
        );
        assert.deepEqual(coinsOf(wallet), new Map([...coinsOf(wallet), ...coinsOf(stayed.wallet)]));
        assert.ok(away.sends.every(({ taken, home }) => unitsOf(taken.slices) + taken.short === home));
      },
    ),
    { numRuns: 1000, seed: 20260503 },
  );
});

test('without a return nothing differs, whether or not coins that are away are followed', () => {
  fc.assert(
    fc.property(stories(), ({ events, decisions }) => {
      assert.deepEqual(booksOf({ events }, decisions).entries, replay(events, decisions, undefined, OPENING).entries);
    }),
    { numRuns: 300, seed: 20260504 },
  );
});

const NAMES = ['A', 'B', 'C'];

interface Group {
  readonly wallets: Readonly<Record<string, readonly PricedEvent[]>>;
  readonly decisions: Decisions;
}

/** Three wallets whose rows and transfers are in one chain order. */
const groups = fc
  .record({
    told: fc.tuple(stories(true), stories(true), stories(true)),
    moves: fc.array(
      fc.record({
        from: fc.nat(2),
        to: fc.nat(1),
        at: fc.nat(99),
        amount: fc.bigInt(1n, 12_000_000n),
        denom: fc.constantFrom(...DENOMS),
      }),
      { maxLength: 10 },
    ),
    its: travels,
  })
  .map(({ told, moves, its }): Group => {
    const tags = new Map<string, object>();
    const rows = told.flatMap(({ events, decisions }, i) =>
      events.map((event): PricedEvent => {
        const id = `${event.id}-${NAMES[i]}`;
        const tag = decisions.tags.get(event.id);
        if (tag) tags.set(id, tag);
        const link = event.link === null ? null : `${event.link}-${NAMES[i]}`;
        return { ...event, address: NAMES[i]!, id, link, tx_hash: `${event.tx_hash}${i}` };
      }),
    );
    const ordered = rows.toSorted((a, b) => (a.time === b.time ? a.height - b.height : a.time < b.time ? -1 : 1));
    for (const [n, { from, to, at, amount, denom }] of moves.entries()) {
      const [sender, receiver] = [NAMES[from]!, NAMES[(from + 1 + to) % 3]!];
      const place = placeIn(ordered, at);
      const day = ordered[place]?.time.slice(0, 10) ?? '2026-01-01';
      const half = (address: string, counterparty: string, side: 'sent' | 'received', end: string, category: string) =>
        makeEvent(1, day, category, {
          ...{ address, counterparty, id: `move-${n}-${end}`, tx_hash: hash(70_000 + n) },
          ...{ [`${side}_amount`]: amount, [`${side}_denom`]: denom },
        });
      ordered.splice(
        place,
        0,
        half(sender, receiver, 'sent', 'out', 'transfer_out'),
        half(receiver, sender, 'received', 'in', 'transfer_in'),
      );
    }
    const stated = { tags: tags as Decisions['tags'], assets: noDecisions.assets };
    const { events, decisions } = travelling({ events: ordered, decisions: stated }, its, NAMES);
    const numbered = events.map((event, i) => ({ ...event, height: 1 + Math.floor(i / 3), position: i % 3 }));
    return {
      wallets: Object.fromEntries(NAMES.map((name) => [name, numbered.filter(({ address }) => address === name)])),
      decisions,
    };
  });

test('with carried lots all wallets have one account: what one sent may come home to another', () => {
  let returned = 0;
  fc.assert(
    fc.property(groups, fc.constantFrom(...METHODS), ({ wallets, decisions }, method) => {
      const terms = { ...USUAL, method };
      const booked = (of: Decisions) => {
        const own = carriedBetween(wallets, of, OPENING, undefined, terms);
        const replays = NAMES.map((name) => replay(wallets[name]!, of, undefined, OPENING, [], own, name, terms));
        return { own, replays, entries: replays.flatMap(({ entries }) => entries) };
      };
      const { own, replays, entries } = booked(decisions);
      returned += entries.filter(({ act }) => act === 'return').length;
      assert.equal(assetsIn(entries), sum(replays.map(({ wallet }) => costIn(wallet))));
      if (own.away) assert.equal(balances(entries).get(OWN) ?? 0n, costAway(own.away));
      const without = booked({ ...decisions, assets: noDecisions.assets });
      if (!lacksLots([...entries, ...without.entries]))
        for (const [i, { wallet }] of replays.entries())
          assert.deepEqual(coinsOf(wallet), coinsOf(without.replays[i]!.wallet), NAMES[i]);
      const followed = new Followed();
      for (const entry of entries.toSorted((a, b) => a.height - b.height || a.position - b.position))
        followed.note(entry);
      const days = new Set(entries.flatMap(({ slices }) => readSlices(slices).map(({ acquired }) => acquired ?? '')));
      const made = new Set(entries.filter(({ act }) => act === 'acquire').map(({ acquired }) => acquired ?? ''));
      for (const day of days) assert.ok(day === BEFORE_INDEX || made.has(day), `${day} is the day of no receipt`);
    }),
    { numRuns: 400, seed: 20260505 },
  );
  assert.ok(returned > 300, `${returned} returns`);
});
