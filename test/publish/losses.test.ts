/** Losses: whatever a generation lacks beside the one in force is named, and nothing else is. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VariableError } from '../../pipeline/base/config-error.js';
import { expectSameDataset, knownLosses } from '../../pipeline/publish/losses.js';
import type { Manifest, OwnWallet } from '../../schemas/types.generated.js';

interface Facts {
  readonly first?: number;
  readonly last?: number;
  readonly start?: number | null;
  readonly until?: number | null;
  readonly classifier?: string;
  /** Rows by path of a file, which begins with its table's name. */
  readonly rows?: Readonly<Record<string, number>>;
  /** Denoms that add up to more than a table holds. */
  readonly outgrown?: readonly string[];
}

const ROWS = {
  'blocks/2026-01': 100,
  'priced_events/2026-01': 50,
  prices: 9,
  'prices/missing.parquet': 6,
  'flagged_receipts/2026-01': 3,
};

/** The members of a manifest that tell what a generation has. */
function manifest({
  first = 10,
  last = 99,
  start = 9,
  until = 80,
  classifier = '1',
  rows = ROWS,
  outgrown = [],
}: Facts = {}): Manifest {
  const names = [...new Set(Object.keys(rows).map((path) => path.split('/')[0]!))];
  const filesOf = (name: string) =>
    Object.entries(rows)
      .filter(([path]) => path.split('/')[0] === name)
      .map(([path, count]) => ({ path, rows: count }));
  return {
    index_start: `day of ${first}`,
    index_end: `day of ${last}`,
    coverage: { first_height: first, last_height: last, starting_height: start, missing: [] },
    holdings_from: start === null ? null : Math.max(first, start),
    holdings_until: until,
    classifier_version: classifier,
    methodology_version: '1',
    oversized: outgrown.map((denom) => ({ height: last, tx_hash: 'sum', denom })),
    tables: names.map((name) => ({ name, files: filesOf(name) })),
  } as unknown as Manifest;
}

const CASES: readonly [title: string, next: Facts, losses: readonly string[]][] = [
  ['the same', {}, []],
  ['more of everything', { first: 5, last: 120, rows: { ...ROWS, 'blocks/2026-01': 110, 'blocks/2026-02': 1 } }, []],
  ['no starting state', { start: null }, ['the starting state of height 9']],
  ['another starting state', { start: 5 }, []],
  ['a starting state of a block of the index', { start: 20 }, ['holdings of blocks 10 to 19']],
  ['a later beginning', { first: 12 }, ['blocks 10 to 11, from day of 10 to day of 12']],
  ['an earlier end', { last: 90 }, ['blocks 91 to 99, from day of 90 to day of 99']],
  [
    'both ends, with their rows',
    { first: 12, last: 90, rows: { ...ROWS, 'blocks/2026-01': 79 } },
    ['blocks 10 to 11, from day of 10 to day of 12', 'blocks 91 to 99, from day of 90 to day of 99'],
  ],
  ['holdings that end earlier', { until: 60 }, ['holdings of blocks 61 to 80']],
  ['holdings that end later', { until: 99 }, []],
  ['holdings that end with the blocks', { last: 70, until: 70 }, ['blocks 71 to 99, from day of 70 to day of 99']],
  ['no starting state and no holdings', { start: null, until: null }, ['the starting state of height 9']],
  ['a token that has outgrown the tables', { outgrown: ['factory/a/b'], rows: { ...ROWS, 'blocks/2026-01': 99 } }, []],
  ['a file less', { rows: { ...ROWS, 'priced_events/2026-01': 0 } }, ['50 of 50 rows of priced_events/2026-01']],
  ['fewer days without a price', { rows: { ...ROWS, prices: 11, 'prices/missing.parquet': 4 } }, []],
  ['fewer prices', { rows: { ...ROWS, prices: 2 } }, ['7 of 9 rows of prices']],
  ['fewer rows of another classification', { classifier: '2', rows: { ...ROWS, 'priced_events/2026-01': 1 } }, []],
  ['fewer flags, which follow from reviewed data', { rows: { ...ROWS, 'flagged_receipts/2026-01': 1 } }, []],
  [
    'a table less',
    { rows: { 'blocks/2026-01': 100, 'priced_events/2026-01': 50, prices: 9 } },
    ['the table flagged_receipts'],
  ],
];

for (const [title, next, losses] of CASES) {
  test(`what goes: ${title}`, () => assert.deepEqual(knownLosses(manifest(), manifest(next)), losses));
}

test('where nothing was known before, a starting state is a gain', () => {
  assert.deepEqual(knownLosses(manifest({ start: null }), manifest()), []);
});

test('where a month is cut into files moves with its rows, and is no loss', () => {
  const before = manifest({ rows: { 'priced_events/2026-02_01.parquet': 20, 'priced_events/2026-02_02.parquet': 15 } });
  const next = manifest({ rows: { 'priced_events/2026-02_01.parquet': 18, 'priced_events/2026-02_02.parquet': 18 } });
  assert.deepEqual(knownLosses(before, next), []);
  const less = manifest({ rows: { 'priced_events/2026-02.parquet': 19 } });
  assert.deepEqual(knownLosses(before, less), ['16 of 35 rows of priced_events/2026-02.parquet']);
});

test('single wallets never take the place of the whole chain, and only named wallets must keep their rows', () => {
  const [one, other] = ['a', 'b'].map((address) => ({ address }) as OwnWallet);
  const of = (...own_wallets: OwnWallet[]): Manifest => ({ ...manifest(), own_wallets });
  const fewer = (...own_wallets: OwnWallet[]): Manifest => ({
    ...manifest({ rows: { ...ROWS, 'priced_events/2026-01': 1 } }),
    own_wallets,
  });
  assert.deepEqual(knownLosses(manifest(), of(one!)), ['all wallets except those of HUBLEDGER_WALLETS']);
  assert.deepEqual(knownLosses(of(one!, other!), fewer(one!)), []);
  assert.equal(knownLosses(of(one!), fewer(one!, other!)).length, 1);
  assert.deepEqual(knownLosses(of(one!), manifest()), []);
});

const root = mkdtempSync(join(tmpdir(), 'hubledger-same-'));
after(() => rmSync(root, { recursive: true }));

/** Makes a data folder whose current manifest has these members; its id is wrong, as if another program had made it. */
function published(name: string, manifest: object): string {
  const dataDir = join(root, name);
  mkdirSync(join(dataDir, 'generations/h9-abc'), { recursive: true });
  writeFileSync(join(dataDir, 'CURRENT'), 'h9-abc\n');
  writeFileSync(
    join(dataDir, 'generations/h9-abc/manifest.json'),
    JSON.stringify({ generation: 'h9-abc', ...manifest }),
  );
  return dataDir;
}

const state = (starting_height: number | null) => ({ coverage: { starting_height } });
const sample = published('sample', { node_chain_id: 'localhub-1', ...state(0) });
const hub = published('hub', { node_chain_id: 'cosmoshub-4', ...state(599) });
const young = published('young', { node_chain_id: 'cosmoshub-4', ...state(null) });
const wallets = published('wallets', { node_chain_id: 'cosmoshub-4', own_wallets: [], ...state(null) });

const HUB = { nodeChainId: 'cosmoshub-4', wallets: undefined, genesis: 'export.json' };
const OWN = { ...HUB, wallets: ['cosmos1a'], genesis: undefined };

test('a run goes on where the folder has its own dataset, or none', () => {
  for (const wanted of [
    { ...HUB, dataDir: hub },
    { ...HUB, dataDir: young },
    { ...HUB, dataDir: young, genesis: undefined },
    { ...OWN, dataDir: wallets },
    { ...HUB, dataDir: join(root, 'none') },
    { ...HUB, nodeChainId: 'localhub-1', dataDir: sample },
  ])
    expectSameDataset(wanted);
});

test('another chain, another mode or a lost starting state is refused, with the way out', () => {
  const cases = [
    [
      { ...HUB, dataDir: sample },
      /has a dataset of localhub-1, but this run reads cosmoshub-4: set HUBLEDGER_DATA_DIR/,
    ],
    [{ ...OWN, dataDir: sample }, /has a dataset of localhub-1/],
    [{ ...OWN, dataDir: hub }, /of the whole chain, but HUBLEDGER_WALLETS is set: set HUBLEDGER_DATA_DIR/],
    [{ ...HUB, dataDir: wallets }, /of single wallets, but HUBLEDGER_WALLETS is not set: set it again, or set/],
    [
      { ...HUB, dataDir: hub, genesis: undefined },
      /starting state of height 599, but HUBLEDGER_GENESIS is not set: set it again, or use --allow-loss/,
    ],
  ] as const;
  for (const [wanted, message] of cases)
    assert.throws(
      () => expectSameDataset(wanted),
      (error) => error instanceof VariableError && message.test(error.message),
    );
});
