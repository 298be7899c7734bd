/** Facts that are carried from month to month: which pieces stay, and that changes and lost pieces give the same facts. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { SpanMonth } from '../../../pipeline/night/artifacts.js';
import { Pieces } from '../../../pipeline/night/pieces.js';
import { carryFacts, factsFile } from '../../../pipeline/night/steps/carry-facts.js';
import { openDatabase } from '../../open-database.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-facts-'));
after(() => rmSync(root, { recursive: true }));

const nameOf = (i: number) => `2026-${String(i + 1).padStart(2, '0')}`;
const factsOf = (versions: readonly string[]) => versions.map((version, i) => `${nameOf(i)}=${version}`);

class Nights {
  private readonly pieces = join(mkdtempSync(join(root, 'data-')), 'pieces');

  /** @returns all facts, and the months whose rows were read */
  async night(versions: readonly string[], full = false): Promise<{ facts: string[]; read: string[] }> {
    const database = await openDatabase();
    const pieces = new Pieces(this.pieces, full, () => {});
    const read: string[] = [];
    const months = versions.map((_, i): SpanMonth => ({ month: nameOf(i), first: i, last: i, content: '' }));
    const ofMonths = await carryFacts(database, pieces, months, {
      ...{ step: 'facts', program: '1', tables: ['seen'], monthly: 'own', sql: [], parameters: {} },
      rowsOf: ({ first }) => versions[first],
      attach: async ({ month, first }) => {
        read.push(month);
        for (const table of ['month_seen', 'month_own'])
          await database.execute(`create or replace table ${table} as select '${month}=${versions[first]}' as fact`);
      },
    });
    const facts = await database.all<{ fact: string }>('from seen order by fact');
    const files = ofMonths.map((piece) => `'${factsFile(piece, 'own')}'`);
    const own = files.length === 0 ? [] : await database.all(`from read_parquet([${files}]) order by fact`);
    assert.deepEqual(own, facts.slice(0, -1));
    pieces.tidy();
    database.close();
    return { facts: facts.map(({ fact }) => fact), read };
  }

  get carried(): number {
    return readdirSync(join(this.pieces, 'facts')).length;
  }

  lose(place: number): void {
    const all = readdirSync(this.pieces).flatMap((step) =>
      readdirSync(join(this.pieces, step)).map((key) => join(this.pieces, step, key)),
    );
    if (all.length > 0) rmSync(all[place % all.length]!, { recursive: true });
  }
}

const first = (count: number) => Array.from({ length: count }, () => 'a');

test('facts of the last two closed months stay, and a night reads only months that changed', async () => {
  const nights = new Nights();
  await nights.night(first(2));
  for (const count of [5, 6]) assert.deepEqual((await nights.night(first(count))).facts, factsOf(first(count)));
  assert.equal(nights.carried, 2);
  assert.deepEqual((await nights.night(first(6))).read, [nameOf(5)]);
  assert.deepEqual((await nights.night(first(6).with(4, 'b'))).read, [nameOf(4), nameOf(5)]);
  assert.deepEqual((await nights.night(first(6).with(1, 'b'))).read.length, 6);
  assert.equal(nights.carried, 2);
});

const step = fc.record({
  count: fc.integer({ min: 2, max: 6 }),
  changed: fc.option(fc.nat(5), { nil: undefined }),
  lost: fc.array(fc.nat(100), { maxLength: 3 }),
  full: fc.boolean(),
});

test('nights of any length, with changes and lost pieces, give the facts of one night', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
    const nights = new Nights();
    const versions = first(6);
    for (const [i, { count, changed, lost, full }] of steps.entries()) {
      if (changed !== undefined) versions[changed] = `v${i}`;
      const { facts } = await nights.night(versions.slice(0, count), full);
      assert.deepEqual(facts, factsOf(versions.slice(0, count)));
      assert.ok(nights.carried <= 2);
      for (const place of lost) nights.lose(place);
    }
  });
  await fc.assert(property, { seed: 20261129, numRuns: 12, endOnFailure: true });
});
