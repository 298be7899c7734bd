import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { basisOf, type Parcel, piecesOf, type Slice } from '../../../pipeline/books/ledger/lots.js';
import { findOwnTransfers, type OwnTransfers, type WalletState } from '../../../pipeline/books/ledger/replay.js';
import { type EntrySlice, readSlices } from '../../../pipeline/books/ledger/slices.js';
import { openLots } from '../../../pipeline/books/reports/positions.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { DENOMS, stories } from './random-wallets.js';
import {
  balances,
  carriedBetween,
  hash,
  incomeOf,
  makeEvent,
  type Replayed,
  replay,
  rules,
  tagsOf,
} from './wallets.js';

const OWN = 'Equity: Own-Wallet Transfers';
const NAMES = ['A', 'B', 'C'];
type Wallets = Record<string, PricedEvent[]>;

/** The two rows of a transfer. */
function transfer(n: number, from: string, to: string, amount: bigint, denom: string, day: string): PricedEvent[] {
  const common = { tx_hash: hash(0x10000 + n), position: n };
  const half = (address: string, counterparty: string, side: 'sent' | 'received', end: string, category: string) =>
    makeEvent(500 + n, day, category, {
      ...common,
      address,
      counterparty,
      id: `${500 + n}-${n}-0-${end}`,
      [`${side}_amount`]: amount,
      [`${side}_denom`]: denom,
      [`${side}_price`]: 3_000_000n,
    });
  return [half(from, to, 'sent', 'out', 'transfer_out'), half(to, from, 'received', 'in', 'transfer_in')];
}

const move = fc.record({
  from: fc.nat(2),
  to: fc.nat(1),
  amount: fc.bigInt(1n, 12_000_000n),
  denom: fc.constantFrom(...DENOMS),
});

/** Three wallets, each with its own story, and then transfers between them. */
const groups = fc
  .record({ told: fc.tuple(stories(true), stories(true), stories(true)), moves: fc.array(move, { maxLength: 12 }) })
  .map(({ told, moves }) => {
    const wallets: Wallets = Object.fromEntries(
      NAMES.map((address, i) => [address, told[i]!.events.map((e) => ({ ...e, address, id: `${e.id}-${address}` }))]),
    );
    for (const [n, { from, to, amount, denom }] of moves.entries()) {
      const [sender, receiver] = [NAMES[from]!, NAMES[(from + 1 + to) % 3]!];
      const [sent, received] = transfer(n, sender, receiver, amount, denom, '2026-05-01');
      wallets[sender]!.push(sent!);
      wallets[receiver]!.push(received!);
    }
    return wallets;
  });

const OPENING = new Map([['uatom', 2_000_000n]]);
const states = (wallets: Wallets, carry: boolean) => {
  const own = carry ? carriedBetween(wallets, undefined, OPENING) : undefined;
  return NAMES.map((address) => replay(wallets[address]!, undefined, undefined, OPENING, [], own, address));
};
const quantityOf = (denom: string, wallets: readonly { wallet: WalletState }[]) =>
  wallets
    .map(({ wallet }) => openLots(wallet.holding(denom)))
    .reduce((sum, { quantity, opening }) => sum + quantity + opening, 0n);
const costOf = (wallets: readonly { wallet: WalletState }[]) =>
  wallets
    .flatMap(({ wallet }) => [...wallet.holdings.values()].map(({ lots }) => lots))
    .concat(wallets.flatMap(({ wallet }) => [...wallet.escrows.values()]))
    .flatMap((lots) => [...lots])
    .reduce((sum, slice) => sum + (basisOf(slice) ?? 0n), 0n);

test('carrying changes no quantity of the group and creates no basis; own transfers net to zero', () => {
  fc.assert(
    fc.property(groups, (wallets) => {
      const [separate, carried] = [states(wallets, false), states(wallets, true)];
      for (const denom of DENOMS) assert.equal(quantityOf(denom, carried), quantityOf(denom, separate), denom);
      const entries = carried.flatMap((one) => one.entries);
      assert.equal(incomeOf(entries), incomeOf(separate.flatMap((one) => one.entries)));
      const cents = (acts: string[]) =>
        entries.filter(({ act }) => acts.includes(act)).reduce((sum, { amount }) => sum + amount, 0n);
      const gone = cents(['dispose', 'relieve', 'burn-deposit']) - cents(['restore']);
      assert.equal(cents(['acquire']), gone + costOf(carried));
      const through = entries.filter(({ act }) => act === 'carry');
      assert.equal(balances(through).get(OWN) ?? 0n, 0n);
      const moved = through.reduce((sum, e) => sum + (e.debit_account === OWN ? 1n : -1n) * (e.quantity ?? 0n), 0n);
      const short = entries.filter(({ act, event_id }) => act === 'acquire' && /^5\d\d-\d+-0-in$/.test(event_id));
      assert.equal(
        moved,
        short.reduce((sum, { quantity }) => sum + quantity!, 0n),
      );
    }),
    { numRuns: 150, seed: 20260105 },
  );
});

test('lots return unchanged, and a wallet named later is replayed first if needed', () => {
  const reward = { received_amount: 10n, received_denom: 'uatom', received_price: 1_000_000_000_000n };
  const [there, arrived] = transfer(1, 'B', 'A', 10n, 'uatom', '2026-02-01');
  const [back, returned] = transfer(2, 'A', 'B', 6n, 'uatom', '2026-02-02');
  const wallets: Wallets = {
    A: [arrived!, back!],
    B: [makeEvent(1, '2026-01-05', 'staking_reward', { ...reward, address: 'B' }), there!, returned!],
  };
  const own = carriedBetween(wallets);
  const [a, b] = ['A', 'B'].map((name) => replay(wallets[name]!, undefined, undefined, undefined, [], own, name));
  const shown = ({ wallet }: typeof a & object) => openLots(wallet.holding('uatom'));
  assert.deepEqual([shown(a!).quantity, shown(a!).cost, shown(a!).oldest], [4n, 400n, '2026-01-05']);
  assert.deepEqual([shown(b!).quantity, shown(b!).cost, shown(b!).oldest], [6n, 600n, '2026-01-05']);
});

test('other tags, decisions, and rows of different payments carry nothing', () => {
  const rows = transfer(1, 'A', 'B', 5n, 'uatom', '2026-02-01');
  const override = { mode: 'override', keepsTreatment: true, value: 1n } as const;
  const account = (tag: string | undefined, more: Partial<PricedEvent> = {}, ...decided: PricedEvent[]) => {
    const tags = tagsOf(rows, tag === undefined ? {} : { [rows[0]!.tx_hash]: tag });
    const decisions = { tags, assets: new Map(decided.map(({ id }) => [id, override])) };
    const wallets = { A: [rows[0]!], B: [{ ...rows[1]!, ...more }] };
    const own = carriedBetween(wallets, decisions);
    return replay(wallets.A, decisions, undefined, undefined, [], own).entries.map(({ act }) => act)[0];
  };
  assert.equal(account(undefined), 'carry');
  assert.equal(account('own_transfer'), 'carry');
  assert.equal(account('gift'), 'relieve');
  assert.equal(account(undefined, { received_amount: 6n }), 'dispose');
  assert.equal(account(undefined, { counterparty: 'C' }), 'dispose');
  assert.equal(account(undefined, { category: 'airdrop' }), 'dispose');
  for (const row of rows) assert.equal(account(undefined, {}, row), 'dispose');
});

/** Spreads transfers over the wallets' stories, so that lots arrive, are used, and leave again. */
const mixedGroups = fc
  .record({
    told: fc.tuple(stories(), stories(), stories()),
    moves: fc.array(fc.record({ of: move, at: fc.nat(99) }), { minLength: 1, maxLength: 15 }),
  })
  .map(({ told, moves }) => {
    const wallets: Wallets = Object.fromEntries(NAMES.map((address) => [address, []]));
    const left = told.map(({ events }, i) =>
      events.map((e) => ({ ...e, address: NAMES[i]!, id: `${e.id}-${NAMES[i]}` })),
    );
    const total = left.map(({ length }) => length);
    const tell = (wallet: number, percent: number) => {
      while (total[wallet]! - left[wallet]!.length < (total[wallet]! * percent) / 100)
        wallets[NAMES[wallet]!]!.push(left[wallet]!.shift()!);
    };
    for (const [n, { of, at }] of moves.toSorted((a, b) => a.at - b.at).entries()) {
      const [from, to] = [of.from, (of.from + 1 + of.to) % 3];
      for (const wallet of [from, to]) tell(wallet, at);
      const [sent, received] = transfer(n, NAMES[from]!, NAMES[to]!, of.amount * 4n, of.denom, '2026-05-01');
      wallets[NAMES[from]!]!.push(sent!);
      wallets[NAMES[to]!]!.push(received!);
    }
    for (const wallet of NAMES.keys()) tell(wallet, 100);
    return wallets;
  });

/** Carries each slice as a lot of its own, as if nothing were ever joined. */
function oneByOne(wallets: Wallets): OwnTransfers {
  const own = findOwnTransfers(Object.values(wallets).flat(), { tags: new Map(), assets: new Map() }, rules);
  const carried = new Map<string, { parcels: Parcel[]; short: bigint }>();
  own.send = ({ id }, { slices, short }) => {
    const parcels = slices.map((slice) => {
      const { acquired, day } = slice.lot;
      return { acquired, day, quantity: slice.to - slice.from, basis: basisOf(slice) };
    });
    carried.set(id.replace(/out$/, 'in'), { parcels, short });
  };
  own.carriedTo = ({ id }) => carried.get(id);
  return own;
}

/** Joins neighbours of one day and unknown basis. */
function joined(slices: readonly EntrySlice[]): EntrySlice[] {
  const all: EntrySlice[] = [];
  for (const slice of slices) {
    const last = all.at(-1);
    if (slice.basis === null && last?.basis === null && last.acquired === slice.acquired) {
      const proceeds = last.proceeds === null ? null : last.proceeds + slice.proceeds!;
      all[all.length - 1] = { ...last, quantity: last.quantity + slice.quantity, proceeds };
    } else all.push(slice);
  }
  return all;
}

const joinedSlices = (entry: Entry) => ({ ...entry, slices: joined(readSlices(entry.slices)) });

function joinedLots({ wallet }: Replayed) {
  const lots = (queue: Iterable<Slice>) =>
    joined(
      piecesOf([...queue]).map((slice) => {
        const { acquired } = slice.lot;
        return { acquired, quantity: slice.to - slice.from, basis: basisOf(slice), proceeds: null };
      }),
    );
  const { holdings, escrows } = wallet;
  return [...Array.from(holdings.values(), ({ lots: queue }) => lots(queue)), ...Array.from(escrows.values(), lots)];
}

test('joined lots have the figures of lots that are carried one by one', () => {
  fc.assert(
    fc.property(mixedGroups, (wallets) => {
      const replays = (own: OwnTransfers) =>
        NAMES.map((address) => replay(wallets[address]!, undefined, undefined, OPENING, [], own, address));
      const [found, naive] = [replays(carriedBetween(wallets, undefined, OPENING)), replays(naively(wallets))];
      for (const [i, { entries }] of found.entries()) {
        assert.deepEqual(entries.map(joinedSlices), naive[i]!.entries.map(joinedSlices));
        assert.deepEqual(joinedLots(found[i]!), joinedLots(naive[i]!));
      }
    }),
    { numRuns: 300, seed: 20260106 },
  );
});

const naively = (wallets: Wallets) => carriedBetween(wallets, undefined, OPENING, oneByOne(wallets));

/** Receives lots on the given days, and moves all coins between two wallets `moves` times. */
function pingPong(lots: number, days: readonly string[], category: string, moves: number) {
  const coin = { received_denom: 'uatom', received_price: 2_000_000n };
  const receipts = Array.from({ length: lots }, (_, n) =>
    makeEvent(n + 1, days[Math.floor((n * days.length) / lots)]!, category, {
      ...coin,
      received_amount: 1000n + BigInt(n % 7),
    }),
  );
  const wallets: Record<'A' | 'B', PricedEvent[]> = { A: receipts, B: [] };
  let left = receipts.reduce((sum, { received_amount }) => sum + received_amount!, 0n);
  for (let n = 0; n < moves; n++) {
    const [from, to] = n % 2 === 0 ? (['A', 'B'] as const) : (['B', 'A'] as const);
    const fee = { fee_amount: 1n, fee_denom: 'uatom', fee_price: 2_000_000n, address: from };
    wallets[from].push(makeEvent(10_000 + n, '2026-05-01', 'fee', fee));
    left -= 1n;
    const [sent, received] = transfer(20_000 + n, from, to, left, 'uatom', '2026-05-01');
    wallets[from].push(sent!);
    wallets[to].push(received!);
  }
  const own = carriedBetween(wallets);
  const received = Object.values(wallets).flatMap((rows) => rows.filter((row) => own.isReceived(row)));
  assert.equal(received.length, moves);
  const parcels = received.flatMap((row) => own.carriedTo(row)!.parcels);
  const holder = moves % 2 === 0 ? 'A' : 'B';
  const { wallet } = replay(wallets[holder], undefined, undefined, undefined, [], own, holder);
  return { parcels, open: openLots(wallet.holding('uatom')) };
}

test('small receipts of unknown cost do not multiply the lots that are carried', () => {
  const { parcels, open } = pingPong(1000, ['2026-01-05'], 'transfer_in', 60);
  assert.deepEqual([parcels.length, open.lots], [60, 1]);
  assert.equal(pingPong(1000, ['2026-01-05', '2026-01-06', '2026-01-07'], 'transfer_in', 60).parcels.length, 3 * 60);
});

test('lots of known cost are held once, however often they move, and stay separate lots', () => {
  const { parcels, open } = pingPong(200, ['2026-01-05', '2026-01-06'], 'staking_reward', 60);
  assert.equal(parcels.length, 2 * 60);
  assert.equal(new Set(parcels).size, 60 + 1);
  assert.equal(new Set(parcels.flatMap(({ parts }) => parts!.parcels)).size, 200 + 59);
  assert.equal(open.lots, 200);
});
