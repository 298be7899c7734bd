import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inSync } from '../../../server/contracts/network.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const BLOCK_MS = 6000;

/** A node that is so many blocks behind and tells the truth. */
const honest = (behind: number) => ({
  latest: { height: 4000 - behind, time: NOW - behind * BLOCK_MS, reportedAt: NOW },
});
const claiming = (height: number, time: number) => ({ latest: { height, time, reportedAt: NOW } });

test('a node is late by its own block, not by what another says', () => {
  const [first, second, late] = [honest(0), honest(2), honest(600)];
  assert.deepEqual(inSync([late, first, second], NOW), [first, second]);
  assert.deepEqual(inSync([late], NOW), [late], 'alone it is all there is');
  assert.deepEqual(inSync([late, claiming(1_000_000, NOW + 1e9)], NOW).length, 1);
});

test('nodes that have said nothing are not late', () => {
  const silent = { latest: { height: 0, time: 0, reportedAt: 0 } };
  assert.deepEqual(inSync([silent], NOW), [silent]);
  assert.deepEqual(inSync([silent, honest(0), honest(600)], NOW), [silent, honest(0)]);
  assert.deepEqual(inSync([], NOW), []);
});

test('a chain that went on while nobody asked has moved as far as it can', () => {
  const before = { latest: { height: 4000, time: NOW - 60_000, reportedAt: NOW - 60_000 } };
  const answered = { latest: { ...before.latest, height: 4010, reportedAt: NOW } };
  assert.deepEqual(inSync([before, answered], NOW), [before, answered]);
  const impossible = { latest: { ...before.latest, height: 4100, reportedAt: NOW } };
  assert.deepEqual(inSync([before, impossible], NOW), [before]);
});

test('a clock that was set back since nodes spoke makes none of them late', () => {
  const nodes = [honest(0), honest(2)];
  assert.deepEqual(inSync(nodes, NOW - 86_400_000), nodes);
});

test('while most are honest, whatever the others say, the honest ones stay and no height is far from theirs', () => {
  const lie = fc.record({
    height: fc.oneof(fc.nat(20_000), fc.maxSafeNat()),
    time: fc.oneof(fc.integer({ min: NOW - 1e8, max: NOW + 1e8 }), fc.maxSafeNat()),
  });
  const nodes = fc
    .tuple(fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }), fc.array(lie, { maxLength: 3 }))
    .filter(([truths, lies]) => lies.length < truths.length)
    .chain(([truths, lies]) => {
      const good = truths.map(honest);
      const all = [...good, ...lies.map(({ height, time }) => claiming(height, time))];
      return fc.record({ good: fc.constant(good), all: fc.shuffledSubarray(all, { minLength: all.length }) });
    });
  fc.assert(
    fc.property(nodes, ({ good, all }) => {
      const kept = inSync(all, NOW);
      assert.ok(good.every((node) => kept.includes(node)));
      for (const { latest } of kept) if (latest.height > 0) assert.ok(Math.abs(latest.height - 4000) <= 17);
    }),
  );
});

test('of two, one that is ahead of what can be changes nothing for the other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4016, max: Number.MAX_SAFE_INTEGER }), fc.maxSafeNat(), (height, time) => {
      const [liar, well] = [claiming(height, time), honest(0)];
      assert.deepEqual(inSync([liar, well], NOW), [well]);
    }),
  );
});
