/** Replays of months: which states stay, and that a changed, lost or interrupted month gives the books of one night. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { ReplayJob } from '../../../pipeline/night/jobs/replay/replay-month.js';
import type { StepContext } from '../../../pipeline/night/night.js';
import { noteTables, Pieces, writePiece } from '../../../pipeline/night/pieces.js';
import { replayWallets } from '../../../pipeline/night/steps/replay-wallets.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ManifestTable } from '../../../schemas/types.generated.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-replays-'));
after(() => rmSync(root, { recursive: true }));

/** Months from December 2025 on. */
const nameOf = (i: number) => new Date(Date.UTC(2025, 11 + i, 1)).toISOString().slice(0, 7);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Writes as states the months that a state depends on: a whole list, or only the job's own month. */
async function fakeReplay({ folder, month, before, keeps }: ReplayJob, version: string): Promise<void> {
  const earlier = (before?.states ?? []).flatMap((file): string[] => JSON.parse(readFileSync(file, 'utf8')));
  const own = `${month.month}=${version}`;
  if (before) assert.match(readFileSync(before.positions, 'utf8'), new RegExp(`${earlier.at(-1)}$`));
  await writePiece(folder, async (making) => {
    for (const [table, file] of [
      ['ledger_entries', month.month],
      ['closing_positions', 'all'],
    ] as const) {
      mkdirSync(join(making, table));
      writeFileSync(join(making, table, `${file}.parquet`), [...earlier, own].join());
    }
    const tableOf = (name: string, file: string) =>
      ({
        name,
        files: [{ path: `${name}/${file}.parquet`, rows: 1, bytes: 1, sha256: '' }],
      }) as unknown as ManifestTable;
    noteTables(making, [tableOf('ledger_entries', month.month), tableOf('closing_positions', 'all')]);
    if (keeps !== 'none')
      writeFileSync(join(making, 'states.parquet'), JSON.stringify(keeps === 'all' ? [...earlier, own] : [own]));
  });
}

class Nights {
  private readonly data = mkdtempSync(join(root, 'data-'));
  private readonly pieces = join(this.data, 'pieces');
  private count = 0;

  /** @returns the books of each month, and the months that were replayed */
  async night(versions: readonly string[], { full = false, failsAt = '' } = {}) {
    const folder = join(this.data, `generation-${this.count++}`);
    const pieces = new Pieces(this.pieces, full, () => {});
    const replayed: string[] = [];
    const executor = {
      async run(_: 'replay', job: ReplayJob, { signal }: { signal: AbortSignal }) {
        signal.throwIfAborted();
        if (job.month.month === failsAt) throw new Error('killed');
        replayed.push(job.month.month);
        await fakeReplay(job, versions[job.month.first]!);
      },
    };
    const context = { folder, pieces, executor, reference: loadReference(), signal: new AbortController().signal };
    const months = versions.map((_, i) => ({ month: nameOf(i), first: i, last: i, content: '' }));
    const files = versions.map((version, i) => ({
      ...{ path: `priced_events/${nameOf(i)}.parquet`, rows: 1, bytes: 1 },
      sha256: hashOf(version),
    }));
    const inputs = { start: undefined, span: { months }, priced_events: { files }, holdings: [] };
    const outputs = await replayWallets(inputs as never, context as unknown as StepContext);
    await Promise.all([outputs.ledger_entries, outputs.closing_positions]);
    pieces.tidy();
    const books = months.map(({ month }) => readFileSync(join(folder, `ledger_entries/${month}.parquet`), 'utf8'));
    assert.equal(readFileSync(join(folder, 'closing_positions/all.parquet'), 'utf8'), books.at(-1));
    return { books, replayed };
  }

  /** The months whose states are on disk. */
  states(): string[] {
    const folder = join(this.pieces, 'replay');
    return readdirSync(folder)
      .map((key) => readdirSync(join(folder, key, 'ledger_entries'))[0]!.slice(0, 7))
      .sort();
  }

  lose(place: number): void {
    const all = readdirSync(this.pieces).flatMap((step) =>
      readdirSync(join(this.pieces, step)).map((key) => join(this.pieces, step, key)),
    );
    if (all.length > 0) rmSync(all[place % all.length]!, { recursive: true });
  }
}

const first = (count: number) => Array.from({ length: count }, () => 'a');
const booksOf = (versions: readonly string[]) =>
  versions.map((_, i) =>
    versions
      .slice(0, i + 1)
      .map((version, j) => `${nameOf(j)}=${version}`)
      .join(),
  );

test('states stay of the last two closed months, back to the last quarter, in one night as in many', async () => {
  const kept: Record<number, string[]> = {
    1: [],
    2: ['2025-12'],
    4: ['2025-12', '2026-01', '2026-02'],
    5: ['2025-12', '2026-01', '2026-02', '2026-03'],
    6: ['2026-03', '2026-04'],
    13: ['2026-09', '2026-10', '2026-11'],
  };
  const many = new Nights();
  for (let count = 1; count <= 13; count++) {
    const { books, replayed } = await many.night(first(count));
    assert.deepEqual(books, booksOf(first(count)));
    assert.deepEqual(replayed, [nameOf(count - 2), nameOf(count - 1)].slice(count === 1 ? 1 : 0));
    if (!kept[count]) continue;
    assert.deepEqual(many.states(), kept[count]);
    const one = new Nights();
    await one.night(first(count));
    assert.deepEqual(one.states(), kept[count]);
  }
  assert.deepEqual((await many.night(first(13))).replayed, []);
});

test('a change is replayed from the last month with states, and otherwise from the first month', async () => {
  const nights = new Nights();
  await nights.night(first(12));
  assert.deepEqual(nights.states(), ['2026-09', '2026-10']);
  const late = first(12).with(10, 'b');
  assert.deepEqual((await nights.night(late)).replayed, ['2026-10', '2026-11']);
  const early = late.with(6, 'c');
  const { books, replayed } = await nights.night(early);
  assert.deepEqual(books, booksOf(early));
  assert.deepEqual(
    replayed,
    early.map((_, i) => nameOf(i)),
  );
});

test('a killed night leaves what the next one continues from, and a whole run compares all books', async () => {
  const nights = new Nights();
  await assert.rejects(nights.night(first(12), { failsAt: '2026-08' }), /killed/);
  const { books, replayed } = await nights.night(first(12));
  assert.deepEqual(books, booksOf(first(12)));
  assert.deepEqual(replayed, ['2026-08', '2026-09', '2026-10', '2026-11']);
  assert.equal((await nights.night(first(12), { full: true })).replayed.length, 12);
  assert.deepEqual(nights.states(), ['2026-09', '2026-10']);
});

const step = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  changed: fc.option(fc.nat(11), { nil: undefined }),
  lost: fc.array(fc.nat(100), { maxLength: 4 }),
  full: fc.boolean(),
});

test('nights of any length, with changes and lost pieces, give the books of one night', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
    const nights = new Nights();
    const versions = first(12);
    for (const [i, { count, changed, lost, full }] of steps.entries()) {
      if (changed !== undefined) versions[changed] = `v${i}`;
      const { books } = await nights.night(versions.slice(0, count), { full });
      assert.deepEqual(books, booksOf(versions.slice(0, count)));
      for (const place of lost) nights.lose(place);
    }
  });
  await fc.assert(property, { seed: 20261129, numRuns: 25, endOnFailure: true });
});
