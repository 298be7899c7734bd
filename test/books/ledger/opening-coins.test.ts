/** Properties of wallets that held coins before the index. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isOpening } from '../../../pipeline/books/ledger/opening-coins.js';
import type { WalletState } from '../../../pipeline/books/ledger/replay.js';
import { readSlices } from '../../../pipeline/books/ledger/slices.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import { DENOMS, stories } from './random-wallets.js';
import { balances, makeEvent, realized, replay } from './wallets.js';

const RUNS = { numRuns: 300, seed: 20260105 };

const openings = fc
  .tuple(...DENOMS.map(() => fc.option(fc.bigInt(1n, 20_000_000n), { nil: undefined })))
  .map((amounts) => new Map(DENOMS.flatMap((denom, i) => (amounts[i] === undefined ? [] : [[denom, amounts[i]]]))));

/** Sums the opening coins in a wallet's holdings and escrows, in base units. */
function openingLeft(wallet: WalletState): bigint {
  const places = [...[...wallet.holdings.values()].map(({ lots }) => lots), ...wallet.escrows.values()];
  const slices = places.flatMap((place) => [...place]).filter(({ lot }) => isOpening(lot));
  return slices.reduce((sum, { from, to }) => sum + to - from, 0n);
}

test('opening coins leave before any lot and never increase', () => {
  fc.assert(
    fc.property(stories(true), openings, ({ events, decisions }, opening) => {
      const { wallet, entries } = replay(events, decisions, undefined, opening);
      for (const { act, slices } of entries) {
        const days = readSlices(slices).map(({ acquired }) => acquired ?? '~');
        if (act === 'dispose' || act === 'deposit' || act === 'move') assert.deepEqual(days, [...days].sort());
      }
      const held = [...opening.values()].reduce((sum, amount) => sum + amount, 0n);
      assert.ok(openingLeft(wallet) <= held);
    }),
    RUNS,
  );
});

test('income and receipts do not depend on opening coins', () => {
  fc.assert(
    fc.property(stories(), openings, ({ events, decisions }, opening) => {
      const made = (held?: ReadonlyMap<string, bigint>) =>
        replay(events, decisions, undefined, held)
          .entries.filter(({ credit_account }) => credit_account.startsWith('Income: '))
          .map(({ entry_id, amount, quantity }) => [entry_id, amount, quantity]);
      assert.deepEqual(made(opening), made());
    }),
    RUNS,
  );
});

test('a refund undoes exactly the refunded row', () => {
  const packet = fc.record({
    denom: fc.constantFrom(...DENOMS),
    amount: fc.bigInt(1n, 30_000_000n),
    price: fc.option(fc.bigInt(1n, 20_000_000n)),
    own: fc.boolean(),
  });
  fc.assert(
    fc.property(stories(), openings, packet, ({ events, decisions }, opening, { denom, amount, price, own }) => {
      const day = events.at(-1)?.time.slice(0, 10) ?? '2026-01-01';
      const link = 'the packet';
      const out = { sent_amount: amount, sent_denom: denom, sent_price: price, link, to_own_key: own };
      const back = { received_amount: amount, received_denom: denom, received_price: price, link };
      const told = [makeEvent(900, day, 'ibc_out', out), makeEvent(901, day, 'ibc_refund', back)];
      const before = replay(events, decisions, undefined, opening);
      const after = replay([...events, ...told], decisions, undefined, opening);
      assert.deepEqual(
        positionsOf(after.wallet, () => 1_500_000n),
        positionsOf(before.wallet, () => 1_500_000n),
      );
      const standing = (sums: Map<string, bigint>) => [...sums].filter(([, cents]) => cents !== 0n).sort();
      assert.deepEqual(standing(balances(after.entries)), standing(balances(before.entries)));
      assert.deepEqual(realized(after.entries), realized(before.entries));
    }),
    RUNS,
  );
});
