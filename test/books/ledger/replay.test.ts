/** Properties of the replay that hold for every wallet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { halfUp } from '../../../pipeline/base/values/amount.js';
import { noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { basisOf, type Slice } from '../../../pipeline/books/ledger/lots.js';
import { replayWallet, WalletState } from '../../../pipeline/books/ledger/replay.js';
import { type EntrySlice, readSlices } from '../../../pipeline/books/ledger/slices.js';
import { walletAddress, walletFromText, walletToText } from '../../../pipeline/books/ledger/wallet-text.js';
import { journalLines } from '../../../pipeline/books/reports/journal.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { DENOMS, type Story, stories } from './random-wallets.js';
import { balances, hash, makeEvent, realized, replay, rules, tagsOf } from './wallets.js';

const RUNS = { numRuns: 400, seed: 20260105 };
const holds = (check: (story: Story) => void, even = false) => fc.assert(fc.property(stories(even), check), RUNS);

const unitsOf = (slices: Iterable<Slice>) => sum([...slices].map(({ from, to }) => to - from));
const costOf = (slices: Iterable<Slice>) => sum([...slices].map((slice) => basisOf(slice) ?? 0n));
const sum = (amounts: readonly (bigint | null)[]) => amounts.reduce<bigint>((total, one) => total + (one ?? 0n), 0n);
const dayOf = ({ time }: { time: string }) => time.slice(0, 10);
const missing = (slices: readonly EntrySlice[]) =>
  sum(slices.filter(({ acquired }) => acquired === null).map(({ quantity }) => quantity));
const lastDay = (events: readonly PricedEvent[]) => (events.length === 0 ? '2026-01-01' : dayOf(events.at(-1)!));

/** Open cost of all holdings in cents. */
const openCost = (wallet: WalletState) => sum([...wallet.holdings.values()].map(({ lots }) => costOf(lots)));
const escrowed = (wallet: WalletState) => sum([...wallet.escrows.values()].map(costOf));

/** Sums a denom's movements in rows, except for burned deposits, which left the holdings earlier. */
function chainChange(events: readonly PricedEvent[], denom: string): bigint {
  const outside = new Set(['delegate', 'undelegate', 'redelegate', 'unbonding_complete', 'gov_deposit_burned']);
  const rows = events.filter((event) => !outside.has(event.category));
  const of = (side: 'received' | 'sent' | 'fee') =>
    sum(rows.filter((row) => row[`${side}_denom`] === denom).map((row) => row[`${side}_amount`]));
  return of('received') - of('sent') - of('fee');
}

const CAME_BACK = new Set(['withdraw', 'restore']);

test("quantity: open units equal the chain's movements, except for the declared shortfall", () => {
  holds(({ events }) => {
    const { wallet, entries } = replay(events);
    for (const denom of DENOMS) {
      let expected = chainChange(events, denom);
      for (const entry of entries) {
        const short = missing(readSlices(entry.slices));
        if (entry.act === 'burn-deposit') continue;
        if (entry.denom === denom) expected += entry.act === 'move' || CAME_BACK.has(entry.act) ? -short : short;
        if (entry.credit_denom === denom) expected += short;
      }
      assert.equal(unitsOf(wallet.holding(denom).lots), expected, denom);
    }
  }, true);
});

test('basis: acquired basis is relieved, open or in escrow, to the cent', () => {
  holds(({ events, decisions }) => {
    const { wallet, entries } = replay(events, decisions);
    const of = (...acts: string[]) => sum(entries.filter(({ act }) => acts.includes(act)).map((entry) => entry.amount));
    const gone = of('dispose', 'relieve', 'burn-deposit') - of('restore');
    assert.equal(of('acquire'), gone + openCost(wallet) + escrowed(wallet));
    for (const { amount, slices } of entries)
      if (slices !== null) assert.equal(amount, sum(readSlices(slices).map(({ basis }) => basis)));
  });
});

test('journal: two different accounts, no negative amount, and the asset accounts are the cost of the positions at any date', () => {
  holds(({ events, decisions }) => {
    for (const day of new Set(events.map(dayOf))) {
      const { wallet, entries } = replay(events, decisions, day);
      const sums = balances(entries);
      const isAsset = (account: string) => account.startsWith('Digital Assets: ') && !account.endsWith(': Deposits');
      assert.equal(sum([...sums].filter(([account]) => isAsset(account)).map(([, cents]) => cents)), openCost(wallet));
      assert.equal(sums.get('Digital Assets: Deposits') ?? 0n, escrowed(wallet));
      assert.equal(-(sums.get('Realized Gain/Loss') ?? 0n), sum(realized(entries).map(({ gain }) => gain)));
      const shown = positionsOf(wallet, () => null).map((row) => BigInt(row.cost_basis_usd.replace('.', '') || '0'));
      assert.equal(sum(shown), openCost(wallet));
      for (const entry of entries) assert.ok(entry.amount >= 0n && entry.debit_account !== entry.credit_account);
    }
  });
});

test('wallets are never pooled', () => {
  fc.assert(
    fc.property(stories(), stories(), (a, b) => {
      const alone = replay(a.events, a.decisions).entries;
      replay(b.events, b.decisions);
      assert.deepEqual(replay(a.events, a.decisions).entries, alone);
    }),
    { ...RUNS, numRuns: 50 },
  );
  const foreign = [makeEvent(1, '2026-01-05', 'delegate'), makeEvent(2, '2026-01-05', 'delegate', { address: 'B' })];
  assert.throws(
    () => [...replayWallet(foreign, noDecisions, new WalletState({ ...USUAL, rules }))],
    /row of B in wallet A/,
  );
});

test('coins without a treatment stop the replay', () => {
  const coin = { sent_amount: 5n, sent_denom: 'uatom' };
  const rows = [
    makeEvent(1, '2026-01-05', 'transfer_in', coin),
    makeEvent(1, '2026-01-05', 'tokenize_shares', coin),
    makeEvent(1, '2026-01-05', 'staking_reward', { fee_amount: 5n, fee_denom: 'uatom' }),
  ];
  for (const row of rows) assert.throws(() => replay([row]), /row 1-0-0-0-A: \w+ has no treatment for/);
});

test('prefix and window: no day depends on later rows, and a window is a part of the whole', () => {
  holds(({ events, decisions }) => {
    const all = replay(events, decisions).entries;
    for (const day of new Set(events.map(dayOf))) {
      const until = replay(events, decisions, day).entries;
      assert.deepEqual(
        until,
        all.filter((entry) => dayOf(entry) <= day),
      );
    }
    assert.equal(new Set(all.map(({ entry_id }) => entry_id)).size, all.length);
  });
});

test('in pieces: a continued replay equals the whole replay, also from a written state', () => {
  const held = fc.option(fc.dictionary(fc.constantFrom(...DENOMS), fc.bigInt(1n, 9_000_000n)), { nil: undefined });
  fc.assert(
    fc.property(stories(), fc.nat(40), held, fc.boolean(), ({ events, decisions }, cut, opening, writes) => {
      const at = events.findIndex((event, i) => i >= cut && event.tx_hash !== events[i - 1]?.tx_hash);
      const pieces = at < 0 ? [events] : [events.slice(0, at), events.slice(at)];
      const open = () =>
        new WalletState({
          ...USUAL,
          rules,
          address: events[0]?.address ?? '',
          opening: opening && new Map(Object.entries(opening)),
        });
      let wallet = open();
      const entries = pieces.flatMap((piece) => {
        const text = walletToText(wallet);
        if (writes) wallet = walletFromText(text, rules);
        assert.equal(walletToText(wallet), text);
        assert.equal(walletAddress(text), wallet.address);
        return [...replayWallet(piece, decisions, wallet)];
      });
      const whole = open();
      assert.deepEqual(entries, [...replayWallet(events, decisions, whole)]);
      assert.deepEqual(
        positionsOf(wallet, () => null),
        positionsOf(whole, () => null),
      );
    }),
    RUNS,
  );
});

test('first in, first out: by acquired day, and never before arrival', () => {
  holds(({ events, decisions }) => {
    const acquired = new Set<string>();
    for (const { act, category, slices, time } of replay(events, decisions).entries) {
      const days = readSlices(slices).flatMap((slice) => slice.acquired ?? []);
      if (act === 'dispose' || act === 'deposit' || act === 'move') assert.deepEqual(days, [...days].sort(), category);
      for (const day of days) assert.ok(day <= dayOf({ time }));
      for (const day of days) assert.ok(acquired.has(day), `${day} had not arrived`);
      if (act === 'acquire') {
        acquired.add(dayOf({ time }));
        for (const { acquired_date } of [...decisions.assets.values()] as { acquired_date?: string }[])
          if (acquired_date !== undefined) acquired.add(acquired_date);
      }
    }
  });
});

test('delegating changes nothing', () => {
  holds(({ events, decisions }) => {
    const moved = events.filter((event) => !/delegate|unbonding/.test(event.category));
    assert.deepEqual(replay(moved, decisions).entries, replay(events, decisions).entries);
  });
});

test('tags: neither an unmatched hash nor the order of keys changes anything', () => {
  holds(({ events, tags, decisions }) => {
    const { entries } = replay(events, decisions);
    const keys = Object.entries(tags).reverse();
    const other = tagsOf(events, Object.fromEntries([[hash(0xffff), 'lost'], ...keys]));
    assert.deepEqual(replay(events, { ...decisions, tags: other }).entries, entries);
  });
});

test('tags: a tag by hash reaches either rewards or other rows, and changes no income in the second case', () => {
  const tagged = fc.record({
    story: stories(),
    tag: fc.constantFrom(...rules.tags.filter(({ in: incoming }) => !incoming?.income).map(({ tag }) => tag)),
    place: fc.nat(40),
  });
  fc.assert(
    fc.property(tagged, ({ story: { events, decisions }, tag, place }) => {
      const event = events[place % Math.max(1, events.length)];
      if (!event) return;
      const tags = tagsOf(events, { [event.tx_hash]: tag });
      const reached = events.filter(({ id }) => tags.has(id)).map(({ category }) => /reward|commission/.test(category));
      assert.ok(reached.every((isReward) => isReward === reached[0]));
      if (reached[0]) return;
      const shown = (entries: readonly Entry[]) =>
        entries
          .filter(({ credit_account }) => /^Income: (Staking Rewards|Validator Commission)$/.test(credit_account))
          .map(({ entry_id, amount }) => [entry_id, amount]);
      const plain = replay(events, { ...decisions, tags: new Map() });
      assert.deepEqual(shown(replay(events, { ...decisions, tags }).entries), shown(plain.entries));
    }),
    RUNS,
  );
});

test('scale: prices times a hundred are dollars times a hundred, within rounding', () => {
  const times = (price: bigint | null) => (price === null ? null : price * 100n);
  holds(({ events }) => {
    const dear = events.map((e) => ({
      ...e,
      sent_price: times(e.sent_price),
      received_price: times(e.received_price),
      fee_price: times(e.fee_price),
    }));
    const total = (entries: readonly Entry[]) =>
      sum(entries.filter(({ act }) => act === 'acquire').map((entry) => entry.amount));
    const cheap = replay(events).entries;
    const difference = total(replay(dear).entries) - 100n * total(cheap);
    const bound = 50n * BigInt(cheap.length + 1);
    assert.ok(difference <= bound && -difference <= bound);
  });
});

test('a disposal in two parts relieves the same basis', () => {
  fc.assert(
    fc.property(stories(), fc.bigInt(2n, 20_000_000n), fc.nat(100), ({ events, decisions }, amount, share) => {
      const part = halfUp(amount * BigInt(share), 100n);
      const height = events.length + 1;
      const send = (at: number, units: bigint) =>
        makeEvent(at, lastDay(events), 'transfer_out', {
          sent_amount: units,
          sent_denom: 'uatom',
          sent_price: 1_000_000n,
        });
      const relieved = (...sends: PricedEvent[]) => {
        const { entries } = replay([...events, ...sends], decisions);
        return sum(entries.filter((e) => e.height >= height && e.act === 'dispose').map((e) => e.amount));
      };
      const parts = [part, amount - part].filter((units) => units > 0n).map((units, i) => send(height + i, units));
      assert.equal(relieved(...parts), relieved(send(height, amount)));
    }),
    RUNS,
  );
});

const isIncome = ({ act, credit_account }: Entry) => act === 'acquire' && credit_account.startsWith('Income: ');
const totalOf = ({ credit_account, denom }: Entry) => `${credit_account} ${denom}`;

test('a day without prices changes its own rows, rows that use its lots, and cents of later income, nothing else', () => {
  fc.assert(
    fc.property(stories(), fc.nat(1000), ({ events, decisions }, pick) => {
      if (events.length === 0) return;
      const day = dayOf(events[pick % events.length]!);
      const none = { sent_price: null, received_price: null, fee_price: null };
      const blank = events.map((event) => (dayOf(event) === day ? { ...event, ...none } : event));
      const changed = replay(blank, decisions).entries;
      const isLaterIncome = (e: Entry) => dayOf(e) > day && isIncome(e);
      // Rows of that day, refunds of its transfers, later income, and rows that parts of these lots passed.
      const concerned = (entries: readonly Entry[]) =>
        entries
          .filter(
            (e) =>
              dayOf(e) === day ||
              e.reverses !== null ||
              isLaterIncome(e) ||
              readSlices(e.slices).some(({ acquired }) => acquired !== null && acquired >= day),
          )
          .map((e) => e.event_id);
      const before = replay(events, decisions).entries;
      const apart = new Set([...concerned(before), ...concerned(changed)]);
      const rest = (entries: readonly Entry[]) => entries.filter((entry) => !apart.has(entry.event_id));
      assert.deepEqual(rest(changed), rest(before));
      const totals = (entries: readonly Entry[], total: string) =>
        sum(entries.filter((e) => isLaterIncome(e) && totalOf(e) === total).map((e) => e.amount));
      for (const total of new Set(before.filter(isIncome).map(totalOf))) {
        const difference = totals(changed, total) - totals(before, total);
        assert.ok(difference >= -1n && difference <= 1n, `${total} ${difference}`);
      }
    }),
    RUNS,
  );
});

test('every figure is a plain decimal, negative only where allowed', () => {
  const context = { rules, methodologyVersion: '1', countryOf: () => 'undisclosed' };
  const plain = /^\d+(\.\d*[1-9])?$/;
  const dollars = /^\d+\.\d\d$/;
  holds(({ events, decisions }) => {
    const { wallet, entries } = replay(events, decisions);
    for (const line of entries.flatMap((entry) => journalLines(entry, context))) {
      assert.match(line.debit_usd + line.credit_usd, dollars);
      if (line.quantity !== '') assert.match(line.quantity, plain);
      if (line.price_usd !== '') assert.match(line.price_usd, plain);
    }
    for (const position of positionsOf(wallet, () => 1_234_567n)) {
      for (const quantity of [position.quantity, position.basis_unknown_quantity, position.market_price_usd])
        assert.match(quantity, plain);
      const isKnown = position.quantity !== position.basis_unknown_quantity;
      assert.match(position.market_value_usd, dollars);
      assert.match(position.cost_basis_usd, isKnown ? dollars : /^$/);
      assert.match(position.unrealized_gain_usd, isKnown ? /^(?!-0\.00)-?\d+\.\d\d$/ : /^$/);
      assert.ok(position.lots > 0);
    }
  });
});
