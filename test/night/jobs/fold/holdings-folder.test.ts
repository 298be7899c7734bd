import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EdgeCalendar } from '../../../../pipeline/base/values/edges.js';
import type { ReviewedChanges } from '../../../../pipeline/holdings/state-changes.js';
import {
  checkpointFile,
  type FoldSettings,
  HoldingsFolder,
  startFile,
  writeOpenFacts,
  writePartFacts,
} from '../../../../pipeline/night/jobs/fold/holdings-folder.js';
import type { StateChange, Upgrade } from '../../../../schemas/types.generated.js';

const PARTS = [
  [11, 15, '2026-01'],
  [16, 20, '2026-01'],
  [21, 35, '2026-02'],
] as const;

const UPGRADES = [
  { name: 'v1', height: 12 },
  { name: 'v2', height: 21 },
];
const upgrade = (name: string, changes: readonly StateChange[] = []): Upgrade => ({
  name,
  source: { repository: 'cosmos/gaia', tag: name, file: 'app/upgrades.go' },
  summary: 'a handler',
  changes: [...changes],
});
const REVIEWED: ReviewedChanges = { upgrades: [upgrade('v1'), upgrade('v3')], corrections: [] };
const CHANGE: StateChange = { kind: 'remove_provider' };

const NO_EDGES = new EdgeCalendar([], []);
const SETTINGS = { reviewed: REVIEWED, edges: NO_EDGES };
/** Blocks have the times of their heights. */
const periodOf = (from: number, to: number) => ({ after: BigInt(from - 1), until: BigInt(to) });

/** A fold up to 35 in three nights and two months. */
function folded(context: TestContext, settings: FoldSettings = SETTINGS): HoldingsFolder {
  const folder = new HoldingsFolder(mkdtempSync(join(tmpdir(), 'hubledger-fold-')));
  context.after(() => rmSync(folder.path, { recursive: true }));
  mkdirSync(folder.start);
  writeFileSync(checkpointFile(folder.start), '');
  for (const [from, to, month] of PARTS) {
    const path = folder.finalFolder(from, to);
    mkdirSync(path);
    writeFileSync(checkpointFile(path), '');
    const ran = UPGRADES.filter(({ height }) => height <= to);
    writePartFacts(path, { month, to, upgrades: ran, period: periodOf(from, to) }, settings);
  }
  writeFileSync(startFile(folder.start), JSON.stringify({ chainId: 'a-1', height: 10, oversized: [] }));
  for (const height of [20, 36]) {
    mkdirSync(folder.openFolder(height));
    writeOpenFacts(folder.openFolder(height), { period: periodOf(height, height) }, settings);
  }
  return folder;
}

test('a fold goes on from its last part, and keeps no more than that needs', (context) => {
  const folder = folded(context);
  assert.deepEqual(
    folder.finalRows().map(({ from, to }) => [from, to]),
    [
      [11, 15],
      [16, 20],
      [21, 35],
    ],
  );
  assert.deepEqual(folder.lastCheckpoint(), { height: 35, path: folder.finalFolder(21, 35) });
  folder.tidy(36);
  assert.deepEqual(
    folder.finalRows().map(({ path }) => existsSync(checkpointFile(path))),
    [false, true, true],
  );
  assert.deepEqual(readdirSync(folder.path).sort(), [
    '0000000011-0000000015',
    '0000000016-0000000020',
    '0000000021-0000000035',
    'open-0000000036',
    'start',
  ]);
});

test('rows of later blocks go, and those before them up to a checkpoint', (context) => {
  const folder = folded(context);
  folder.dropLater(35);
  assert.equal(folder.finalRows().length, 3);
  folder.tidy(36);
  folder.dropLater(34);
  assert.deepEqual(
    folder.finalRows().map(({ to }) => to),
    [15, 20],
  );
  assert.equal(existsSync(folder.openFolder(36)), false);
  folder.dropLater(19); // the checkpoint at 15 is gone
  assert.deepEqual(folder.finalRows(), []);
  assert.deepEqual(folder.lastCheckpoint(), { height: 10, path: folder.start });
});

test('a fold ends where it stopped, for every height from there on', (context) => {
  const folder = folded(context);
  const stop = { height: 21, day: '2026-02-01', reason: 'block 21, EndBlock: bonded pool' };
  writeOpenFacts(folder.openFolder(20), { stop, period: periodOf(20, 20) }, SETTINGS);
  assert.deepEqual(folder.end(36), { until: 20, stop });
  assert.deepEqual(folder.end(20), { until: 20, stop: undefined });
  assert.equal(folder.end(19), undefined);
});

test('a fold goes on from the last part whose reviewed changes are as they were', (context) => {
  const correctedAt = (height: number) => ({
    ...REVIEWED,
    corrections: [{ height, what: [CHANGE], source: 'a query of a node' }],
  });
  const cases: [name: string, reviewed: ReviewedChanges, parts: number[], open: boolean][] = [
    ['nothing is new', REVIEWED, [15, 20, 35], true],
    [
      'a summary is worded anew',
      { ...REVIEWED, upgrades: [{ ...upgrade('v1'), summary: 'other' }, upgrade('v3')] },
      [15, 20, 35],
      false,
    ],
    [
      'an upgrade to come is known',
      { ...REVIEWED, upgrades: [...REVIEWED.upgrades, upgrade('v4')] },
      [15, 20, 35],
      false,
    ],
    [
      'an upgrade that ran is known',
      { ...REVIEWED, upgrades: [...REVIEWED.upgrades, upgrade('v2', [CHANGE])] },
      [15, 20],
      false,
    ],
    [
      'an upgrade that ran is corrected',
      { ...REVIEWED, upgrades: [upgrade('v1', [CHANGE]), upgrade('v3')] },
      [],
      false,
    ],
    ['a correction of a later block', correctedAt(40), [15, 20, 35], false],
    ['a correction of the last part', correctedAt(21), [15, 20], false],
    ['a correction of the second part', correctedAt(16), [15], false],
  ];
  for (const [name, reviewed, parts, open] of cases) {
    const folder = folded(context);
    folder.dropOutdated({ reviewed, edges: NO_EDGES });
    assert.deepEqual(
      folder.finalRows().map(({ to }) => to),
      parts,
      name,
    );
    assert.equal(existsSync(folder.openFolder(36)), open, name);
  }
});

test('a fold goes on from the last part before an edge that was added later; an edge once kept needs no fold', (context) => {
  const at = (...edges: number[]) => ({ reviewed: REVIEWED, edges: new EdgeCalendar([], edges.map(BigInt)) });
  const cases: [kept: number[], wanted: number[], parts: number[], open: boolean][] = [
    [[], [36], [15, 20, 35], false],
    [[36], [36], [15, 20, 35], true],
    [[], [37], [15, 20, 35], true],
    [[], [35], [15, 20], false],
    [[35], [35, 40], [15, 20, 35], true],
    [[35], [], [15, 20, 35], true],
    [[], [16, 35], [15], false],
    [[35], [20], [15], false],
    [[], [10], [15, 20, 35], true],
    [[], [11], [], false],
  ];
  for (const [kept, wanted, parts, open] of cases) {
    const folder = folded(context, at(...kept));
    folder.dropOutdated(at(...wanted));
    const name = `kept ${kept}, wanted ${wanted}`;
    assert.deepEqual(
      folder.finalRows().map(({ to }) => to),
      parts,
      name,
    );
    assert.equal(existsSync(folder.openFolder(36)), open, name);
  }
});
