import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Slash, StakeAct } from '../../pipeline/tracked-wallets/stake-acts.js';
import { beforeSlash, followStakes } from '../../pipeline/tracked-wallets/stakes.js';

const PART = 10n ** 14n; // a ten-thousandth
const slash: Slash = {
  height: 20,
  event: 3,
  time: '2026-01-02 00:00:00',
  validator: 'v',
  reason: 'missing_signature',
  infraction: 18,
  fraction: PART,
  ofDelegations: PART,
};

const acts: StakeAct[] = [
  { kind: 'delegated', height: 5, validator: 'v', amount: 1_000_000n },
  { kind: 'delegated', height: 18, validator: 'v', amount: -200_000n },
  { kind: 'unbonding', height: 18, validator: 'v', amount: 200_000n },
  { kind: 'delegated', height: 19, validator: 'w', source: 'v', amount: 300_000n },
  { kind: 'slash', height: 20, slash },
  { kind: 'delegated', height: 30, validator: 'v', amount: 7n },
];
const stakes = (delegated: [string, bigint][], unbonding: [string, bigint][] = []) => ({
  delegated: new Map(delegated),
  unbonding: new Map(unbonding),
});
const closing = stakes(
  [
    ['v', 499_957n],
    ['w', 299_970n],
  ],
  [['v', 199_980n]],
);

test('a slash takes its part of a delegation, and of coins that left after the fault', () => {
  const { losses, differences, opening } = followStakes(acts, stakes([]), closing);
  assert.deepEqual(losses, [{ slash, delegated: 50n, unbonding: 20n, redelegated: 30n }]);
  assert.deepEqual([differences, opening.delegated.size], [[], 0]);
});

test('without an opening, it is computed back, also across slashes', () => {
  const held = stakes(
    [['v', closing.delegated.get('v')! + 99_990n], ...[...closing.delegated].slice(1)],
    [['v', 199_980n]],
  );
  const { losses, opening, differences } = followStakes(acts, undefined, held);
  assert.deepEqual(differences, []);
  assert.deepEqual([...opening.delegated], [['v', 100_000n]]);
  assert.equal(losses[0]!.delegated, 60n);
});

test('a stake that rows do not explain is a difference at its validator', () => {
  const { differences } = followStakes(
    acts,
    stakes([]),
    stakes(
      [
        ['v', 400_000n],
        ['w', 299_970n],
      ],
      [['v', 199_980n]],
    ),
  );
  assert.deepEqual(
    differences.map(({ validator, kind, node }) => [validator, kind, node]),
    [['v', 'delegated', 400_000n]],
  );
});

test('the stake before a slash is the smallest that leaves as much', () => {
  for (const before of [1n, 9_999n, 10_000n, 123_456_789n]) {
    const after = before - (before * PART + 10n ** 18n - 1n) / 10n ** 18n;
    const found = beforeSlash(after, slash);
    assert.equal(found - (found * PART + 10n ** 18n - 1n) / 10n ** 18n, after);
    assert.ok(found <= before);
  }
});

test('what inexact losses leave of an ended delegation is rounding, and loses nothing', () => {
  const first = { ...slash, height: 10 };
  const held: StakeAct[] = [
    { kind: 'slash', height: 10, slash: first },
    { kind: 'delegated', height: 12, validator: 'v', amount: -999_899_999_990n },
    { kind: 'slash', height: 20, slash },
  ];
  const { losses, differences } = followStakes(held, stakes([['v', 1_000_000_000_000n]]), stakes([]));
  assert.deepEqual([losses.map(({ slash: { height } }) => height), differences], [[10], []]);
});

test('what the rounding of several acts leaves of an ended delegation loses nothing', () => {
  const held: StakeAct[] = [
    { kind: 'delegated', height: 5, validator: 'v', amount: 1_000_000n },
    { kind: 'delegated', height: 6, validator: 'v', source: 'w', amount: 2_000n },
    { kind: 'delegated', height: 7, validator: 'v', amount: -1_001_999n },
    { kind: 'slash', height: 20, slash },
    { kind: 'delegated', height: 30, validator: 'v', amount: 500n },
  ];
  const { losses, differences } = followStakes(held, stakes([['w', 2_000n]]), stakes([['v', 500n]]));
  assert.deepEqual([losses, differences], [[], []]);
});

interface SlashCase {
  readonly what: string;
  readonly fraction: string;
  /** Height of the fault. */
  readonly fault: number;
  readonly slash: number;
  /** Number of slashes for the same fault; 1 if missing. */
  readonly slashes?: number;
  readonly opening?: readonly { validator: string; creationHeight: number; initial: string; balance: string }[];
  /** `<height> <message> <validator> <amount>`. A redelegation has two validators, a cancellation ends with `of <height>`. */
  readonly acts: readonly string[];
  /** Loss by each slash. */
  readonly loses: Readonly<Record<'delegated' | 'unbonding' | 'redelegated', string>>;
  /** Stakes after the last slash, by `<kind> <validator>`. */
  readonly left?: Readonly<Record<string, string>>;
}

function actsOf(text: string): StakeAct[] {
  const [at, message, validator, ...rest] = text.split(' ') as [string, string, string, ...string[]];
  const height = Number(at);
  if (message === 'redelegate') {
    return [{ kind: 'delegated', height, validator: rest[0]!, source: validator, amount: BigInt(rest[1]!) }];
  }
  const amount = BigInt(rest[0]!);
  const delegated = (change: bigint): StakeAct => ({ kind: 'delegated', height, validator, amount: change });
  const unbonding = (change: bigint): StakeAct => ({ kind: 'unbonding', height, validator, amount: change });
  if (message === 'undelegate') return [delegated(-amount), unbonding(amount)];
  if (message === 'cancel') return [delegated(amount), { ...unbonding(-amount), begun: Number(rest[2]) } as StakeAct];
  if (message === 'complete') return [unbonding(-amount)];
  return [delegated(message === 'tokenize' ? -amount : amount)];
}

const CASES: readonly SlashCase[] = JSON.parse(
  readFileSync(join(projectRoot(), 'test/tracked-wallets/slash-cases.json'), 'utf8'),
);

for (const { what, fraction, fault, slash: height, slashes = 1, opening = [], acts: texts, loses, left } of CASES)
  test(what, () => {
    const part = BigInt(Math.round(Number(fraction) * 1e4)) * PART;
    const fell = { ...slash, height, infraction: fault, fraction: part, ofDelegations: part };
    const all: StakeAct[] = [
      ...texts.flatMap(actsOf),
      ...Array.from({ length: slashes }, (): StakeAct => ({ kind: 'slash', height, slash: fell })),
    ];
    const entries = opening.map((entry) => ({
      ...entry,
      initial: BigInt(entry.initial),
      balance: BigInt(entry.balance),
    }));
    const start = {
      ...stakes(
        [],
        entries.map(({ validator, balance }) => [validator, balance]),
      ),
      entries,
    };
    const { losses } = followStakes(all, start, undefined);
    const lost = {
      delegated: BigInt(loses.delegated),
      unbonding: BigInt(loses.unbonding),
      redelegated: BigInt(loses.redelegated),
    };
    const isLoss = lost.delegated + lost.unbonding + lost.redelegated > 0n;
    assert.deepEqual(losses, isLoss ? Array(slashes).fill({ slash: fell, ...lost }) : []);
    const ends = new Map(Object.entries(left ?? {}).map(([key, amount]) => [key, BigInt(amount)]));
    const of = (kind: string) =>
      [...ends].flatMap(([key, amount]): [string, bigint][] =>
        key.startsWith(`${kind} `) ? [[key.slice(kind.length + 1), amount]] : [],
      );
    const { differences } = followStakes(all, start, stakes(of('delegated'), of('unbonding')));
    for (const { kind, validator, rows, node } of differences)
      assert.ok(!ends.has(`${kind} ${validator}`), `${kind} ${validator}: ${rows}, expected ${node}`);
  });
