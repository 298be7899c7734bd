/** Worked examples of pool rules, most of them from official guidance (worked.json names the source of each). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { poolMethodNamed } from '../../../pipeline/books/pools/index.js';
import type { Act, PoolMethod } from '../../../pipeline/books/pools/pool.js';
import { loadReference } from '../../../pipeline/reference.js';

interface Worked {
  readonly id: string;
  readonly country?: string;
  readonly rule?: { readonly method: string; readonly unit?: 'up' };
  readonly scale?: number;
  readonly events: readonly (readonly [
    day: string,
    what: 'buy' | 'sell',
    units: number,
    money: number | null,
    value?: number,
  ])[];
  readonly expect: {
    readonly gains: readonly (string | null)[];
    readonly pool?: readonly [units: string, cost: string];
  };
}

const { cases } = JSON.parse(readFileSync(join(projectRoot(), 'test/books/pools/worked.json'), 'utf8')) as {
  cases: readonly Worked[];
};

const { countries } = loadReference();

for (const { id, country, rule, scale = 1, events, expect } of cases) {
  const found = countries.find((one) => one.country === country);
  const method = poolMethodNamed(rule?.method.replaceAll(' ', '_') ?? found!.method);
  if (!method) continue;
  test(id, () => {
    const unitRounding = rule?.unit ?? found?.unit_rounding ?? 'none';
    const acts = events.map(([day, what, units, money, value]): Act => {
      // France looks at money alone; its examples have no units.
      const [kind, count] = [what === 'buy' ? ('acquire' as const) : ('dispose' as const), BigInt(units || 1)];
      return {
        kind,
        day,
        units: count,
        money: money === null ? null : BigInt(money),
        ...(value !== undefined && { portfolio: BigInt(value) }),
      };
    });
    const { parts, states } = method.match(acts, { yearStart: '01-01', decimals: Math.log10(scale), unitRounding });
    assert.deepEqual(gainsOf(parts), expect.gains);
    if (!expect.pool) return;
    const last = states.at(-1)!;
    if (country !== 'FR') assert.equal(String(last.units), expect.pool[0]);
    assert.equal(String(last.cost), expect.pool[1]);
  });
}

/** Sums the gains of each disposal; null if a part is unknown. */
function gainsOf(parts: ReturnType<PoolMethod['match']>['parts']): (string | null)[] {
  const gains = new Map<Act, bigint | null>();
  for (const { act, gain } of parts) {
    const sum = gains.has(act) ? gains.get(act)! : 0n;
    gains.set(act, sum === null || gain === null ? null : sum + gain);
  }
  return [...gains.values()].map((gain) => gain?.toString() ?? null);
}
