import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StakeAct } from '../../pipeline/tracked-wallets/stake-acts.js';
import { followStakes, type KnownStakes } from '../../pipeline/tracked-wallets/stakes.js';

const PART = 10n ** 14n;
const delegated = (height: number, amount: bigint, more = {}): StakeAct => ({
  kind: 'delegated',
  height,
  validator: 'v',
  amount,
  ...more,
});
const unbonding = (height: number, amount: bigint): StakeAct => ({ kind: 'unbonding', height, validator: 'v', amount });
const slash = (height: number, validator = 'v'): StakeAct => ({
  kind: 'slash',
  height,
  slash: {
    height,
    event: 0,
    time: '2026-01-01 00:00:00',
    validator,
    reason: 'missing_signature',
    infraction: height - 1,
    fraction: PART,
    ofDelegations: PART,
  },
});

const stakes = (held: Record<string, bigint> = {}, leaving: Record<string, bigint> = {}): KnownStakes => ({
  delegated: new Map(Object.entries(held)),
  unbonding: new Map(Object.entries(leaving)),
});

interface Case {
  readonly what: string;
  readonly acts: readonly StakeAct[];
  readonly opening?: KnownStakes;
  readonly closing?: KnownStakes;
  /** Validators with as many tokens as shares. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** [height, staked, unbonding]; null is unknown. */
  readonly points: readonly (readonly [number, bigint | null, bigint | null])[];
}

const CASES: readonly Case[] = [
  {
    what: 'without any slash, every stake is exact',
    acts: [delegated(5, 900n), delegated(7, -400n), unbonding(7, 400n), unbonding(9, -400n)],
    closing: stakes({ v: 500n }),
    before: ['v'],
    after: ['v'],
    points: [
      [0, 0n, 0n],
      [5, 900n, 0n],
      [7, 500n, 400n],
      [9, 500n, 0n],
    ],
  },
  {
    what: 'a stake at a validator that was slashed before is unknown until it has ended',
    acts: [delegated(5, 900n), delegated(7, -899n), unbonding(7, 899n), unbonding(9, -899n)],
    closing: stakes(),
    points: [
      [0, 0n, 0n],
      [5, null, 0n],
      [7, 0n, 899n],
      [9, 0n, 0n],
    ],
  },
  {
    what: 'a stake that does not end at such a validator stays unknown',
    acts: [delegated(5, 900n)],
    opening: stakes({ v: 100n }),
    closing: stakes({ v: 999n }),
    points: [[0, null, 0n]],
  },
  {
    what: 'a stake is exact until the first slash of the chain',
    acts: [delegated(5, 900_000n), slash(6, 'w'), slash(8), delegated(9, 100n)],
    closing: stakes({ v: 900_010n }),
    before: ['v'],
    points: [
      [0, 0n, 0n],
      [5, 900_000n, 0n],
      [6, null, 0n],
    ],
  },
  {
    what: 'a stake that has ended before the slash stays exact',
    acts: [delegated(5, 900n), delegated(7, -900n), unbonding(7, 900n), unbonding(9, -900n), slash(20)],
    closing: stakes(),
    before: ['v'],
    points: [
      [0, 0n, 0n],
      [5, 900n, 0n],
      [7, 0n, 900n],
      [9, 0n, 0n],
    ],
  },
  {
    what: 'unbonding coins that a slash hits are unknown until they are paid',
    acts: [delegated(5, -10_000n), unbonding(5, 10_000n), slash(6), unbonding(9, -9_999n)],
    opening: stakes({ v: 10_000n }),
    closing: stakes(),
    before: ['v'],
    points: [
      [0, 10_000n, 0n],
      [5, 0n, 10_000n],
      [6, 0n, null],
      [9, 0n, 0n],
    ],
  },
  {
    what: 'coins from a validator that was slashed may be a unit fewer than the row',
    acts: [delegated(5, 300n, { source: 'w' })],
    opening: stakes({ v: 700n, w: 300n }),
    closing: stakes({ v: 999n }),
    before: ['v'],
    after: ['v'],
    points: [[0, null, 0n]],
  },
  {
    what: 'acts before the index make the first point',
    acts: [delegated(5, 900n), delegated(12, 100n)],
    closing: stakes({ v: 1_000n }),
    after: ['v'],
    points: [
      [9, 900n, 0n],
      [12, 1_000n, 0n],
    ],
  },
];

for (const { what, acts, opening = stakes(), closing, before = [], after = [], points } of CASES)
  test(what, () => {
    const first = points[0]![0] + 1;
    const even = { before: new Set(before), after: new Set(after) };
    const found = followStakes(acts, opening, closing, first, even).points;
    assert.deepEqual(
      found.map((point) => [point.height, point.staked, point.unbonding]),
      points,
    );
  });

test('without closing stakes, nothing is exact', () => {
  assert.deepEqual(followStakes([delegated(5, 900n)], stakes(), undefined).points, []);
});
