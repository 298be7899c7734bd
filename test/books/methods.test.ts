/** Compares every lot method with a naive search on random wallets, and checks the sentences about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noDecisions } from '../../pipeline/books/ledger/decisions.js';
import { readSlices } from '../../pipeline/books/ledger/slices.js';
import { fifo } from '../../pipeline/books/methods/fifo.js';
import { hifo } from '../../pipeline/books/methods/hifo.js';
import { lifo } from '../../pipeline/books/methods/lifo.js';
import type { LotMethod } from '../../pipeline/books/methods/method.js';
import { sentences, USUAL } from '../../pipeline/books/terms.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { carriedBetween, hash, makeEvent, replay } from './ledger/wallets.js';

interface NaiveLot {
  readonly day: string;
  readonly units: bigint;
  /** Cents per micro-ATOM as a number is exact enough: prices are whole dollars. */
  readonly price: number | null;
  left: bigint;
}

/** For each method, the lots in the order in which they leave. `lots` are in the order of receipt. */
const ORDERS: Readonly<Record<string, (lots: readonly NaiveLot[]) => NaiveLot[]>> = {
  fifo: (lots) => [...lots],
  lifo: (lots) => [...lots].reverse(),
  hifo: (lots) => [...lots].sort((a, b) => (b.price ?? -1) - (a.price ?? -1)),
};

interface Act {
  readonly kind: 'reward' | 'receipt' | 'send';
  readonly units: bigint;
  readonly price: number;
}

const acts = fc.array(
  fc.record<Act>({
    kind: fc.constantFrom('reward', 'receipt', 'send'),
    units: fc.integer({ min: 1, max: 9 }).map((n) => BigInt(n) * 1_000_000n),
    price: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 40 },
);

const dayOf = (n: number) => new Date(Date.UTC(2026, 0, 1 + Math.floor(n / 2))).toISOString().slice(0, 10);

function eventOf({ kind, units, price }: Act, n: number): PricedEvent {
  const usd = BigInt(price) * 1_000_000n;
  if (kind === 'send')
    return makeEvent(n + 1, dayOf(n), 'transfer_out', { sent_amount: units, sent_denom: 'uatom', sent_price: usd });
  const category = kind === 'reward' ? 'staking_reward' : 'transfer_in';
  const coins = { received_amount: units, received_denom: 'uatom', received_price: usd };
  return makeEvent(n + 1, dayOf(n), category, coins);
}

/** Returns the slices of each send as [day, units, basis in cents]. */
function naiveSlices(list: readonly Act[], order: (lots: readonly NaiveLot[]) => NaiveLot[]) {
  const lots: NaiveLot[] = [];
  return list.flatMap(({ kind, units, price }, n) => {
    if (kind !== 'send') {
      lots.push({ day: dayOf(n), units, price: kind === 'reward' ? price : null, left: units });
      return [];
    }
    let left = units;
    const slices: [string | null, bigint, bigint | null][] = [];
    for (const lot of order(lots)) {
      const taken = lot.left < left ? lot.left : left;
      if (taken === 0n) continue;
      lot.left -= taken;
      left -= taken;
      slices.push([lot.day, taken, lot.price === null ? null : (taken / 1_000_000n) * BigInt(lot.price) * 100n]);
    }
    return left > 0n ? [...slices, [null, left, null]] : slices;
  });
}

const terms = (method: LotMethod) => ({ ...USUAL, method });
const slicesOf = (events: readonly PricedEvent[], method: LotMethod) =>
  replay(events, noDecisions, '9999-12-31', undefined, [], undefined, 'A', terms(method))
    .entries.filter(({ act }) => act === 'dispose')
    .flatMap(({ slices }) => readSlices(slices))
    .map(({ acquired, quantity, basis }) => [acquired, quantity, basis]);

for (const method of [fifo, lifo, hifo]) {
  test(`${method.name}: the slices of random wallets are those of a naive search`, () => {
    fc.assert(
      fc.property(acts, (list) => {
        assert.deepEqual(slicesOf(list.map(eventOf), method), naiveSlices(list, ORDERS[method.name]!));
      }),
    );
  });

  test(`${method.name}: coins of an own wallet leave in the same order as its own coins`, () => {
    const coins = (n: number, units: bigint, price: bigint): PricedEvent =>
      makeEvent(n, '2026-01-05', 'staking_reward', {
        received_amount: units,
        received_denom: 'uatom',
        received_price: price * 1_000_000n,
      });
    const common = { tx_hash: hash(9), position: 1 };
    const moved = { sent_amount: 3_000_000n, sent_denom: 'uatom', sent_price: null };
    const arrived = { received_amount: 3_000_000n, received_denom: 'uatom', received_price: null };
    const there = { ...common, ...moved, address: 'A', counterparty: 'B', id: '9-1-0-out' };
    const here = { ...common, ...arrived, address: 'B', counterparty: 'A', id: '9-1-0-in' };
    const sale = makeEvent(10, '2026-01-07', 'transfer_out', {
      ...{ address: 'B', sent_amount: 1_000_000n, sent_denom: 'uatom', sent_price: 9_000_000n },
    });
    const wallets = {
      A: [
        ...[2n, 5n, 3n].map((price, i) => coins(i + 1, 1_000_000n, price)),
        makeEvent(9, '2026-01-06', 'transfer_out', there),
      ],
      B: [makeEvent(9, '2026-01-06', 'transfer_in', here), sale],
    };
    const own = carriedBetween(wallets, noDecisions, undefined, undefined, terms(method));
    const { entries } = replay(wallets.B, noDecisions, '9999-12-31', undefined, [], own, 'B', terms(method));
    const [{ basis } = { basis: null }] = readSlices(entries.find(({ act }) => act === 'dispose')!.slices);
    assert.equal(basis, { fifo: 200n, lifo: 300n, hifo: 500n }[method.name]);
  });
}

test('opening coins leave first with fifo, and last with lifo and hifo', () => {
  const events = [
    eventOf({ kind: 'reward', units: 1_000_000n, price: 2 }, 0),
    eventOf({ kind: 'send', units: 1_000_000n, price: 3 }, 1),
  ];
  const basisWith = (method: LotMethod) => {
    const opening = new Map([['uatom', 5_000_000n]]);
    const { entries } = replay(events, noDecisions, '9999-12-31', opening, [], undefined, 'A', terms(method));
    return readSlices(entries.find(({ act }) => act === 'dispose')!.slices).map(({ basis }) => basis);
  };
  assert.deepEqual([fifo, lifo, hifo].map(basisWith), [[null], [200n], [200n]]);
});

test('the sentences name the method, and call every method but the usual one a what-if', () => {
  assert.equal(
    sentences(USUAL).lots,
    'Every wallet keeps its own lots, and the oldest lots are sold first (first in, first out).',
  );
  assert.equal(sentences(USUAL).whatIf, '');
  assert.match(sentences(terms(lifo)).lots, /newest lots are sold first \(last in, first out\)/);
  assert.match(sentences(terms(hifo)).whatIf, /what-if calculation/);
});
