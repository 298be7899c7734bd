/** Rules that hold for every pool method and random acts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../../pipeline/base/values/day.js';
import { poolMethodNamed } from '../../../pipeline/books/pools/index.js';
import type { Act, Matched, PoolMethod, PoolTerms } from '../../../pipeline/books/pools/pool.js';

const METHODS = ['moving_average', 'total_average', 'same_day_30_days_pool', 'moving_average_superficial'];
const TERMS: PoolTerms = { yearStart: '04-06', decimals: 6, unitRounding: 'none' };

/** Acquisitions of known cost, and disposals of no more than is held. The last one sells everything. */
const lives = fc
  .array(
    fc.record({
      days: fc.nat(40),
      buys: fc.boolean(),
      units: fc.bigInt(1n, 10n ** 9n),
      money: fc.bigInt(0n, 10n ** 7n),
    }),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((steps): Act[] => {
    let [day, held] = ['2025-01-01', 0n];
    const acts = steps.flatMap(({ days, buys, units, money }): Act[] => {
      day = addDays(day, days);
      if (!buys && held === 0n) return [];
      const sold = units < held ? units : held;
      held += buys ? units : -sold;
      return [{ kind: buys ? 'acquire' : 'dispose', day, units: buys ? units : sold, money }];
    });
    if (held === 0n) return acts;
    return [...acts, { kind: 'dispose', day: addDays(day, 1), units: held, money: 1_000_000n }];
  });

const sumOf = (acts: readonly Act[], kind: Act['kind']) =>
  acts.reduce((sum, act) => (act.kind === kind ? sum + act.money! : sum), 0n);
const gainsOf = ({ parts }: Matched) => parts.reduce((sum, { gain }) => sum + gain!, 0n);
const costsOf = ({ parts }: Matched) => parts.reduce((sum, { cost }) => sum + cost!, 0n);

for (const name of METHODS) {
  const method: PoolMethod = poolMethodNamed(name)!;
  test(`${name}: over a whole life, gains are proceeds less costs, and no unit is relieved twice`, () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const matched = method.match(acts, TERMS);
        assert.equal(gainsOf(matched), sumOf(acts, 'dispose') - sumOf(acts, 'acquire'));
        const units = matched.parts.reduce((sum, part) => sum + part.units, 0n);
        assert.equal(
          units,
          acts.reduce((sum, act) => (act.kind === 'dispose' ? sum + act.units : sum), 0n),
        );
        const last = matched.states.at(-1);
        if (last) assert.deepEqual([last.units, last.cost], [0n, 0n]);
      }),
    );
  });

  test(`${name}: what is relieved and what is left is what was acquired`, () => {
    fc.assert(
      fc.property(lives, fc.nat(40), (whole, count) => {
        const acts = whole.slice(0, count);
        const matched = method.match(acts, TERMS);
        const denied = matched.parts.reduce((sum, { gain, proceeds, cost }) => sum + gain! - (proceeds! - cost!), 0n);
        const left = matched.states.at(-1)?.cost ?? 0n;
        assert.equal(costsOf(matched) + left, sumOf(acts, 'acquire') + denied);
      }),
    );
  });

  test(`${name}: one unit of unknown cost makes no gain known that depends on it`, () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const unknown = acts.map((act) => (act.kind === 'acquire' ? { ...act, money: null } : act));
        for (const { cost, gain } of method.match(unknown, TERMS).parts) assert.deepEqual([cost, gain], [null, null]);
      }),
    );
  });
}

/** Acts of every kind, also of more than is held, and of unknown cost. */
const anyLives = fc
  .array(
    fc.record({
      days: fc.nat(25),
      kind: fc.constantFrom<Act['kind']>('acquire', 'dispose', 'relieve', 'enter'),
      units: fc.bigInt(1n, 10n ** 7n),
      money: fc.option(fc.bigInt(0n, 10n ** 6n), { freq: 8 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((steps): Act[] => {
    let day = '2025-03-01';
    return steps.map(({ days, kind, units, money }) => {
      day = addDays(day, days);
      return { kind, day, units, money: kind === 'relieve' || kind === 'enter' ? null : money };
    });
  });

for (const name of METHODS)
  test(`${name}: no cost is below zero, and all costs are at most what was paid and what was denied`, () => {
    fc.assert(
      fc.property(anyLives, fc.constantFrom('none', 'up'), (acts, unitRounding) => {
        const { parts, states } = poolMethodNamed(name)!.match(acts, { ...TERMS, unitRounding });
        const unitsOf = (of: readonly { readonly units: bigint }[]) => of.reduce((sum, { units }) => sum + units, 0n);
        assert.equal(unitsOf(parts), unitsOf(acts.filter(({ kind }) => kind === 'dispose')));
        for (const { cost, units } of [...parts, ...states]) assert.ok(units >= 0n && (cost === null || cost >= 0n));
        for (const { rule, cost } of parts) assert.ok(rule !== 'no_lot' || cost === null);
        const denied = parts.reduce(
          (sum, { gain, proceeds, cost }) => (gain === null ? sum : sum + gain - (proceeds! - cost!)),
          0n,
        );
        const paid = acts.reduce((sum, { kind, money }) => (kind === 'acquire' ? sum + (money ?? 0n) : sum), 0n);
        const used = parts.reduce((sum, { cost }) => sum + (cost ?? 0n), states.at(-1)!.cost ?? 0n);
        assert.ok(used <= paid + denied);
      }),
    );
  });
